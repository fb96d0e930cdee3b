// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;

/**
 * Addresses that tell by themselves whether they are whole, and whose they are: each belongs to one
 * process, which uses it once.
 *
 * <pre>
 *   scattered  11.p.p.n  p: 12 bits of the process, n: 12 low bits of the number
 *              port      4 and more high bits of the number | 8 bits that follow from the rest
 *   of ranges  12.p.p.n  port 5000 to 8999: 5000 + 4 x high bits of the number + 0 to 3
 * </pre>
 *
 * <p>As one word: {@code address << 16 | port}.
 */
final class ChaosAddresses {
  /** How many processes can have addresses. */
  static final int PROCESSES = 1 << 12;

  /** Services of each node of a range. */
  static final int SERVICES = 4;

  private static final int NUMBER_BITS = 12;
  private static final int LOW = (1 << NUMBER_BITS) - 1;
  private static final int SCATTERED = 11;
  private static final int RANGES = 12;
  private static final int FIRST_HIGH = 4;
  private static final int FIRST_PORT = 5000;
  private static final int LAST_PORT = 8999;

  /** How many scattered addresses a process has. */
  static final int NUMBERS = (256 - FIRST_HIGH) << NUMBER_BITS;

  /** How many nodes a process has in ranges. */
  static final int NODES = ((LAST_PORT - FIRST_PORT + 1) / SERVICES) << NUMBER_BITS;

  private ChaosAddresses() {}

  /** A scattered address of a process. */
  static long scattered(int process, int number) {
    int address = address(SCATTERED, process, number);
    int high = FIRST_HIGH + (number >>> NUMBER_BITS);
    return word(address, (high << 8) | sum(address, high));
  }

  /** An address of a range of a process. */
  static long ranged(int process, int node, int service) {
    return word(address(RANGES, process, node), firstPort(node) + service);
  }

  /** The first port of a node. */
  static int firstPort(int node) {
    return FIRST_PORT + SERVICES * (node >>> NUMBER_BITS);
  }

  /** How many nodes in a row have the same ports from one on. */
  static int rowFrom(int node) {
    return LOW + 1 - (node & LOW);
  }

  /** The address alone, as text. */
  static String host(long word) {
    long address = word >>> 16;
    return "%s.%s.%s.%s"
        .formatted(address >>> 24, address >>> 16 & 0xFF, address >>> 8 & 0xFF, address & 0xFF);
  }

  private static int address(int net, int process, int number) {
    return (net << 24) | (process << NUMBER_BITS) | (number & LOW);
  }

  private static int sum(int address, int high) {
    return (address * 0x9E3779B9 + high * 0x85EBCA6B) >>> 24;
  }

  private static long word(int address, int port) {
    return (Integer.toUnsignedLong(address) << 16) | port;
  }

  /** Whether a word is an address that some process may have. */
  static boolean isWhole(long word) {
    int address = (int) (word >>> 16);
    int port = (int) word & 0xFFFF;
    return switch (address >>> 24) {
      case SCATTERED -> port >>> 8 >= FIRST_HIGH && (port & 0xFF) == sum(address, port >>> 8);
      case RANGES -> port >= FIRST_PORT && port <= LAST_PORT;
      default -> false;
    };
  }

  /** The address of a word. */
  static SocketAddress4 of(long word) {
    return new SocketAddress4((int) (word >>> 16), (int) word & 0xFFFF);
  }

  /** The word of an address; -1 if it is of another kind. */
  static long word(FabricAddress address) {
    return address instanceof SocketAddress4 ipv4 ? word(ipv4.address(), ipv4.port()) : -1;
  }

  /** The word of the address that a handle has; -1 if it has none, or one of another kind. */
  static long read(AddressVector vector, long handle) {
    try {
      return word(vector.lookup(handle));
    } catch (FabricException none) {
      if (none.errno() == Errno.EINVAL) {
        return -1;
      }
      throw none;
    }
  }

  /** A word for people. */
  static String text(long word) {
    return host(word) + ":" + (word & 0xFFFF);
  }
}
