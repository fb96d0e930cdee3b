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
 *
 * @param userId what completions report instead of the member's handle
 * @param attributes names and values
 */
public record MemberOptions(OptionalLong userId, Map<String, String> attributes) {
  private static final MemberOptions NONE = new MemberOptions(OptionalLong.empty(), Map.of());

  /** Keeps a copy of the attributes. */
  public MemberOptions {
    Text.required(userId, "userId");
    Text.required(attributes, "attributes")
        .forEach((name, value) -> {
          Text.required(name, "name of an attribute");
          Text.required(value, "value of attribute " + name);
        });
    attributes = Map.copyOf(attributes);
  }

  /** {@return options without user id and attributes} */
  public static MemberOptions none() {
    return NONE;
  }

  /**
   * Sets the user id.
   *
   * @param userId any value; in use where a vector keeps user ids
   * @return the changed copy
   */
  public MemberOptions withUserId(long userId) {
    return new MemberOptions(OptionalLong.of(userId), attributes);
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
    more.put(Text.required(name, "name"), Text.required(value, "value"));
    return new MemberOptions(userId, more);
  }
}
