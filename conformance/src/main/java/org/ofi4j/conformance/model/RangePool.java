// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.ofi4j.AddressFormat;

/**
 * Draws what goes into a vector in large portions: ranges that meet earlier ones in every way, and
 * lists in all orders that real tables of peers have. A window of few thousand hosts and few ports
 * sees to it that they do meet.
 */
final class RangePool {
  private static final int HOSTS = 3000;
  private static final int PORTS = 24;
  private static final long FIRST_HOST = 0x0A01_FE00L; // 10.1.254.0
  private static final int FIRST_PORT = 5000;
  private static final int LAST_PORT = 0xFFFF;
  private static final int MOST = 5000;
  private static final int MOST_REMEMBERED = 16;
  private static final int BLOCK = 1 << 16;

  private final boolean holdsV4;
  private final boolean holdsV6;
  private final int hugeOneIn;
  private final List<Range> earlier = new ArrayList<>();
  private Range last;

  /**
   * A pool.
   *
   * @param hugeOneIn one range among so many has more than 65,536 addresses
   */
  RangePool(AddressFormat format, int hugeOneIn) {
    holdsV4 = format != AddressFormat.SOCKADDR_IN6;
    holdsV6 = format != AddressFormat.SOCKADDR_IN;
    this.hugeOneIn = hugeOneIn;
    last = new Range(holdsV6, FIRST_HOST, FIRST_PORT, 1, 1);
  }

  /** All services of one node before the next node (AV-117). */
  record Range(boolean ipv6, long host, int port, int nodes, int services) {
    int count() {
      return nodes * services;
    }

    long at(int position) {
      return Numbers.of(ipv6, host + position / services, port + position % services);
    }

    long[] all() {
      long[] all = new long[count()];
      for (int i = 0; i < all.length; i++) {
        all[i] = at(i);
      }
      return all;
    }

    AddressPool.Bounds bounds() {
      return new AddressPool.Bounds(
          Numbers.node(ipv6, host), nodes, String.valueOf(port), services);
    }
  }

  /** A range, which may run past the last port. */
  Range range(SplittableRandom random) {
    Range range =
        random.nextInt(hugeOneIn) == 0
            ? huge(random)
            : earlier.isEmpty() || random.nextInt(3) == 0
                ? fresh(random, MOST)
                : related(earlier.get(random.nextInt(earlier.size())), random);
    if (earlier.size() < MOST_REMEMBERED) {
      earlier.add(range);
    } else {
      earlier.set(random.nextInt(MOST_REMEMBERED), range);
    }
    return range;
  }

  private Range fresh(SplittableRandom random, int most) {
    int services = random.nextInt(3) == 0 ? 1 : size(random, 1, PORTS);
    int nodes = size(random, 1, Math.max(1, most / services));
    if (random.nextInt(6) == 0) { // ports of few nodes
      nodes = 1 + random.nextInt(3);
      services = size(random, 1, most / nodes);
    }
    int port = random.nextInt(12) == 0 ? LAST_PORT - random.nextInt(20) : port(random);
    return new Range(isIpv6(random), host(random), port, nodes, services);
  }

  private Range huge(SplittableRandom random) {
    int count = BLOCK + random.nextInt(BLOCK);
    int services = random.nextBoolean() ? 1 : 1 + random.nextInt(64);
    return new Range(isIpv6(random), host(random), port(random), count / services, services);
  }

  /** Overlaps an earlier range: wholly, in part, by columns, as its inside or its outside. */
  private static Range related(Range other, SplittableRandom random) {
    int nodes = other.nodes();
    int services = other.services();
    return switch (random.nextInt(6)) {
      case 0 -> other;
      case 1 -> { // inside
        int skipped = random.nextInt(nodes);
        int column = random.nextInt(services);
        yield new Range(
            other.ipv6(),
            other.host() + skipped,
            Math.min(LAST_PORT, other.port() + column),
            1 + random.nextInt(nodes - skipped),
            1 + random.nextInt(services - column));
      }
      case 2 -> { // some columns of all rows
        int column = random.nextInt(services);
        int width = 1 + random.nextInt(services - column);
        int port = Math.min(LAST_PORT, other.port() + column);
        yield new Range(other.ipv6(), other.host(), port, nodes, width);
      }
      case 3 -> // around
          new Range(
              other.ipv6(),
              other.host() - random.nextInt(5),
              Math.max(1, other.port() - random.nextInt(3)),
              nodes + random.nextInt(9),
              services + random.nextInt(5));
      case 4 -> // shifted along the nodes, or just behind
          new Range(
              other.ipv6(),
              other.host() + (random.nextBoolean() ? nodes : random.nextInt(nodes)),
              other.port(),
              nodes,
              services);
      default -> // shifted along the ports
          new Range(
              other.ipv6(),
              other.host(),
              Math.min(LAST_PORT, other.port() + random.nextInt(services + 1)),
              nodes,
              services);
    };
  }

  /** A list of good addresses in one of the orders that peers come in. */
  long[] list(SplittableRandom random, int most) {
    int count = random.nextInt(4) == 0 ? size(random, 1, 15) : size(random, 16, most);
    boolean ipv6 = isIpv6(random);
    long host = host(random);
    int port = port(random);
    int few = 2 + random.nextInt(14);
    last = new Range(ipv6, host, port, count, 1);
    long[] list = last.all();
    switch (random.nextInt(12)) {
      case 0 -> list = new Range(ipv6, host, FIRST_PORT - 200, 1, count).all();
      case 1 -> list = new Range(ipv6, host, port, 1 + count / few, few).all();
      case 2 -> list = columns(new Range(ipv6, host, port, 1 + count / few, few));
      case 3 -> reverse(list);
      case 4 -> list = stride(last, 2);
      case 5 -> list = stride(last, 1 + random.nextInt(5));
      case 6 ->
          list = interleaved(stride(last, 2), new Range(ipv6, host + 1, port, count, 1).all());
      case 7 -> list = spoilt(list, random);
      case 8 -> shuffleBlocks(list, random);
      case 9 -> list = scattered(count, random);
      default -> {} // consecutive addresses, as they are
    }
    return list;
  }

  /** Continues where the last list of consecutive addresses ended. */
  long[] continued(SplittableRandom random, int most) {
    int count = size(random, 1, most);
    last = new Range(last.ipv6(), last.host() + last.nodes(), last.port(), count, 1);
    return last.all();
  }

  /** Any address of the window. */
  long any(SplittableRandom random) {
    return Numbers.of(isIpv6(random), host(random), port(random));
  }

  private long[] scattered(int count, SplittableRandom random) {
    long[] list = new long[count];
    for (int i = 0; i < count; i++) {
      boolean near = random.nextInt(4) == 0;
      list[i] =
          near
              ? any(random)
              : Numbers.of(isIpv6(random), 1 + random.nextInt(1 << 30), 1 + random.nextInt(60_000));
    }
    return list;
  }

  private static long[] columns(Range range) {
    long[] list = new long[range.count()];
    for (int i = 0; i < list.length; i++) {
      list[i] = range.at(i % range.nodes() * range.services() + i / range.nodes());
    }
    return list;
  }

  private static long[] stride(Range range, int stride) {
    long[] list = range.all();
    for (int i = 0; i < list.length; i++) {
      list[i] = Numbers.of(range.ipv6(), range.host() + (long) i * stride, range.port());
    }
    return list;
  }

  private static long[] interleaved(long[] one, long[] other) {
    long[] list = one.clone();
    for (int i = 1; i < list.length; i += 2) {
      list[i] = other[i];
    }
    return list;
  }

  private static void reverse(long[] list) {
    for (int i = 0, j = list.length - 1; i < j; i++, j--) {
      long swapped = list[i];
      list[i] = list[j];
      list[j] = swapped;
    }
  }

  /** About 1 % left out, 1 % twice. */
  private static long[] spoilt(long[] list, SplittableRandom random) {
    for (int i = 1; i < list.length; i++) {
      int kind = random.nextInt(100);
      if (kind == 0) {
        list[i] = list[random.nextInt(i)];
      } else if (kind == 1) {
        System.arraycopy(list, i, list, i - 1, list.length - i);
      }
    }
    return list;
  }

  private static void shuffleBlocks(long[] list, SplittableRandom random) {
    int block = 16 + random.nextInt(48);
    for (int start = 0; start + 2 * block <= list.length; start += block) {
      int with = start + block * random.nextInt((list.length - start) / block);
      long[] moved = Arrays.copyOfRange(list, start, start + block);
      System.arraycopy(list, with, list, start, block);
      System.arraycopy(moved, 0, list, with, block);
    }
  }

  private boolean isIpv6(SplittableRandom random) {
    return !holdsV4 || (holdsV6 && random.nextBoolean());
  }

  private static long host(SplittableRandom random) {
    return FIRST_HOST + random.nextInt(HOSTS);
  }

  private static int port(SplittableRandom random) {
    return FIRST_PORT + random.nextInt(PORTS);
  }

  /** Small numbers as often as large ones. */
  static int size(SplittableRandom random, int least, int most) {
    double exponent = random.nextDouble() * Math.log((most + 1.0) / least);
    return Math.min(most, (int) (least * Math.exp(exponent)));
  }
}
