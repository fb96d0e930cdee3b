// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;

/** A member of a group, as all see it. Immutable; two members with equal values are equal. */
public final class Member {
  /** The longest name in bytes of UTF-8. */
  public static final int MAX_NAME = 255;

  /** The most attributes. */
  public static final int MAX_ATTRIBUTES = 8;

  /** The longest name of an attribute in bytes of UTF-8. */
  public static final int MAX_ATTRIBUTE_NAME = 64;

  /** The longest value of an attribute in bytes of UTF-8. */
  public static final int MAX_ATTRIBUTE_VALUE = 256;

  private final Values values;

  private record Values(
      String name,
      OptionalInt rank,
      OptionalLong userId,
      FabricAddress address,
      Map<String, String> attributes,
      long incarnation,
      String host) {}

  /** Checks the limits, and keeps a copy of the attributes. */
  Member(
      String name,
      OptionalInt rank,
      OptionalLong userId,
      FabricAddress address,
      Map<String, String> attributes,
      long incarnation,
      String host) {
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
    Map<String, String> sorted = Collections.unmodifiableMap(new TreeMap<>(attributes));
    values = new Values(name, rank, userId, address, sorted, incarnation, host);
  }

  /** {@return its name, the only one in the group; of a member of a job its rank in digits} */
  public String name() {
    return values.name;
  }

  /** {@return its rank in a job, from 0; empty for a member of a service} */
  public OptionalInt rank() {
    return values.rank;
  }

  /**
   * {@return the number that completions report instead of its handle, in vectors with user ids}
   */
  public OptionalLong userId() {
    return values.userId;
  }

  /** {@return the address where it is reached} */
  public FabricAddress address() {
    return values.address;
  }

  /** {@return its attributes, in the order of their names; cannot be changed} */
  public Map<String, String> attributes() {
    return values.attributes;
  }

  /**
   * Tells which of those that have had the name it is: a later one has a greater number. It is the
   * number of the change of ZooKeeper that the member came with, and stays the same when the member
   * is published again after a lost session.
   *
   * @return the number
   */
  public long incarnation() {
    return values.incarnation;
  }

  /** {@return the name of the host that it is on} */
  public String host() {
    return values.host;
  }

  /** The same member of another incarnation. */
  Member withIncarnation(long number) {
    return new Member(name(), rank(), userId(), address(), attributes(), number, host());
  }

  /** The same member at another address. */
  Member at(FabricAddress other) {
    return new Member(name(), rank(), userId(), other, attributes(), incarnation(), host());
  }

  /** What messages call it. */
  String words() {
    return (rank().isPresent() ? "rank " + rank().getAsInt() : "member " + name())
        + " (incarnation "
        + incarnation()
        + " at "
        + address()
        + " on host "
        + host()
        + ")";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Member member && values.equals(member.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** All values. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "Member");
  }
}
