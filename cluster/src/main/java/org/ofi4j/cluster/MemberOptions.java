// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a member says of itself besides its address. Immutable; each {@code with} method gives a
 * changed copy. The limits are those of {@link Member}.
 *
 * <p>Whoever may read the group in ZooKeeper reads the attributes: nothing secret belongs there.
 */
public final class MemberOptions {
  private static final MemberOptions NONE = new MemberOptions(OptionalLong.empty(), Map.of());

  private final OptionalLong userId;
  private final Map<String, String> attributes;

  private MemberOptions(OptionalLong userId, Map<String, String> attributes) {
    this.userId = userId;
    this.attributes = Map.copyOf(attributes);
  }

  /** {@return options without user id and attributes} */
  public static MemberOptions none() {
    return NONE;
  }

  /** {@return the number that completions report instead of the member's handle} */
  public OptionalLong userId() {
    return userId;
  }

  /**
   * Sets the number that completions report instead of the member's handle.
   *
   * @param userId any value; in use where a vector keeps user ids
   * @return the changed copy
   */
  public MemberOptions withUserId(long userId) {
    return new MemberOptions(OptionalLong.of(userId), attributes);
  }

  /** {@return the names and values of the attributes; cannot be changed} */
  public Map<String, String> attributes() {
    return attributes;
  }

  /**
   * Adds an attribute, or replaces its value.
   *
   * @param name its name
   * @param value its value
   * @return the changed copy
   */
  public MemberOptions withAttribute(String name, String value) {
    Map<String, String> more = new TreeMap<>(attributes);
    String known = Text.required(name, "name");
    more.put(known, Text.required(value, "value of attribute " + known));
    return new MemberOptions(userId, more);
  }

  /** The values that are set. */
  @Override
  public String toString() {
    String id = userId.isPresent() ? "userId=" + userId.getAsLong() : "";
    String more = attributes.isEmpty() ? "" : "attributes=" + new TreeMap<>(attributes);
    return "MemberOptions[" + id + (id.isEmpty() || more.isEmpty() ? "" : ", ") + more + "]";
  }
}
