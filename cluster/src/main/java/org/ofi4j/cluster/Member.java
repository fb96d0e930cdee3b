// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;

/**
 * A member of a group, as all see it.
 *
 * @param name its name, the only one in the group; of a member of a job its rank in digits
 * @param rank its rank in a job, from 0; empty for a member of a service
 * @param userId what completions report instead of its handle, in vectors that keep user ids
 * @param address where it is reached
 * @param attributes what else it says of itself, in the order of their names
 * @param incarnation which of those that have had the name it is: a later one has a greater number.
 *     It is the number of the change of ZooKeeper that the member came with, and stays what it was
 *     when the member is published anew after a lost session
 * @param host the host that it is on
 */
public record Member(
    String name,
    OptionalInt rank,
    OptionalLong userId,
    FabricAddress address,
    Map<String, String> attributes,
    long incarnation,
    String host) {
  /** The longest name in bytes of UTF-8. */
  public static final int MAX_NAME = 255;

  /** The most attributes. */
  public static final int MAX_ATTRIBUTES = 8;

  /** The longest name of an attribute in bytes of UTF-8. */
  public static final int MAX_ATTRIBUTE_NAME = 64;

  /** The longest value of an attribute in bytes of UTF-8. */
  public static final int MAX_ATTRIBUTE_VALUE = 256;

  /** Checks the limits, and keeps a copy of the attributes. */
  public Member {
    Text.required(address, "address");
    Text.required(rank, "rank");
    Text.required(userId, "userId");
    Text.bounded("name", name, 1, MAX_NAME);
    Text.required(attributes, "attributes");
    if (attributes.size() > MAX_ATTRIBUTES) {
      throw new FabricException(
          Errno.EINVAL,
          "attributes: there are "
              + attributes.size()
              + ", and a member has at most "
              + MAX_ATTRIBUTES
              + "; publish where the rest can be had");
    }
    attributes.forEach((attribute, value) -> {
      Text.bounded("name of an attribute", attribute, 1, MAX_ATTRIBUTE_NAME);
      Text.bounded("value of attribute " + attribute, value, 0, MAX_ATTRIBUTE_VALUE);
    });
    attributes = Collections.unmodifiableMap(new TreeMap<>(attributes));
  }

  /** The same member of another incarnation. */
  Member withIncarnation(long number) {
    return new Member(name, rank, userId, address, attributes, number, host);
  }

  /** The same member at another address. */
  Member at(FabricAddress other) {
    return new Member(name, rank, userId, other, attributes, incarnation, host);
  }

  /** What messages call it. */
  String words() {
    return (rank.isPresent() ? "rank " + rank.getAsInt() : "member " + name)
        + " (incarnation "
        + incarnation
        + " at "
        + address
        + " on host "
        + host
        + ")";
  }
}
