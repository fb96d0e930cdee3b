// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.ofi4j.AddressFormat;

/**
 * What a group is.
 *
 * @param name its name
 * @param size how many members a job has; 0 for a service
 * @param format the format of the members' addresses
 */
public record GroupInfo(String name, int size, AddressFormat format) {
  /** {@return whether it is a job; otherwise it is a service} */
  public boolean isJob() {
    return size > 0;
  }
}
