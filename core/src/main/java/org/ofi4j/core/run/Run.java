// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.core.address.AddressKey;

/**
 * Successive indices whose addresses follow from a formula, so that they need neither slots nor
 * cells. An index of a run that has a slot is not one of its entries any more: its entry has died,
 * or has got another address. A value.
 *
 * @param first the first index
 * @param count how many indices there are, 1 or more
 * @param shape the formula; position 0 is that of the first index
 * @param generation that of all entries
 * @param shares how many insertions more than one each entry has
 */
public record Run(int first, int count, RunShape shape, long generation, int shares) {
  /** The most shares that the entries of a run have in common. */
  public static final int MOST_SHARES = Integer.MAX_VALUE / 2;

  /** One more than the last index. */
  public int end() {
    return first + count;
  }

  /** Whether any number is one of the indices. */
  public boolean covers(int index) {
    return Integer.compareUnsigned(index - first, count) < 0;
  }

  /** The address of an index as {@code address << 16 | port}; -1 if it is not IPv4. */
  public long ipv4(int index) {
    return shape.ipv6() ? -1 : shape.ipv4(index - first);
  }

  /** Reads the address of an index. */
  public void load(int index, AddressKey into) {
    shape.at(index - first, into);
  }

  /** Whether an index has a certain address. */
  public boolean holds(int index, AddressKey key) {
    return shape.positionOf(key) == index - first;
  }

  /**
   * The index of an address.
   *
   * @param ipv6 whether the address is IPv6
   * @param high its first eight bytes, 0 for IPv4
   * @param low its last eight bytes, or the IPv4 address
   * @param scopeAndPort {@code scope << 32 | port}
   * @return the index, or -1
   */
  int indexOf(boolean ipv6, long high, long low, long scopeAndPort) {
    long position = shape.position(ipv6, high, low, scopeAndPort);
    return position < 0 || position >= count ? -1 : first + (int) position;
  }

  /** Whether an IPv4 address, {@code address << 16 | port}, follows the last one. */
  public boolean goesOnWith(long address) {
    return !shape.ipv6() && count < shape.limit() && shape.ipv4(count) == address;
  }

  /**
   * A part of this run, or a longer run that begins as this one or a part of it.
   *
   * @param from the first index, which is one of this run
   * @param to one more than the last one
   */
  public Run part(int from, int to) {
    RunShape its = from == first ? shape : shape.from(from - first);
    return new Run(from, to - from, its, generation, shares);
  }

  /** The same run, each of whose entries has so many shares. */
  public Run withShares(int other) {
    return new Run(first, count, shape, generation, other);
  }

  /** Whether there can be such a run, as memory that was read may be damaged or used again. */
  boolean isSound() {
    return first >= 0
        && count > 0
        && count <= Integer.MAX_VALUE - first
        && shares >= 0
        && shape.isSound()
        && count <= shape.limit();
  }
}
