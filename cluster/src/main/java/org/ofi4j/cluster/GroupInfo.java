// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.ofi4j.AddressFormat;

/** The settings of a group, which all its members share. Immutable. */
public final class GroupInfo {
  private final String name;
  private final int size;
  private final AddressFormat format;

  GroupInfo(String name, int size, AddressFormat format) {
    this.name = name;
    this.size = size;
    this.format = format;
  }

  /** {@return the name of the group} */
  public String name() {
    return name;
  }

  /** {@return how many members a job has; 0 for a service} */
  public int size() {
    return size;
  }

  /** {@return the format of the members' addresses} */
  public AddressFormat format() {
    return format;
  }

  /** {@return whether it is a job; otherwise it is a service} */
  public boolean isJob() {
    return size > 0;
  }

  /** All values. */
  @Override
  public String toString() {
    return "GroupInfo[name=%s, size=%s, format=%s]".formatted(name, size, format);
  }
}
