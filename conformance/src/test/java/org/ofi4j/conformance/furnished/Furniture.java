// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;

/**
 * What a vector may hold before a test begins, so that a vector that keeps its entries in more than
 * one way has to use each of them. The addresses lie on the nodes that the tests use, but no test
 * uses these ports.
 */
enum Furniture {
  /** One service on each of many nodes. */
  RANGE(Furniture::range),
  /** Several services on each node, some columns and rows of it again, and many on one node. */
  GRID(Furniture::grid),
  /** Lists in the orders in which real peers come. */
  LISTS(Furniture::lists),
  /** Addresses that have nothing to do with each other. */
  SCATTERED(Furniture::scattered),
  /** Ranges over scattered entries and the other way round, holes, other addresses in the holes. */
  MIXED(Furniture::mixed);

  private static final int PORT = 4980;
  private static final long HOSTS_4 = 0x0A01_0080L; // 10.1.0.128, the tests having 10.1.1.0 on
  private static final long HOSTS_6 = 0xFF80L; // 2001:db8::ff80, the tests having 2001:db8::1:0 on
  private static final long PREFIX = 0x2001_0DB8_0000_0000L;

  private final Consumer<Filling> plan;

  Furniture(Consumer<Filling> plan) {
    this.plan = plan;
  }

  /** What fills a vector in its own way of inserting. */
  interface Filling {
    AddressFormat format();

    void range(String node, int nodes, int port, int services);

    void list(List<? extends FabricAddress> addresses);

    /** Removes one entry in so many, whatever its address. */
    void remove(int oneIn);
  }

  void into(Filling filling) {
    plan.accept(filling);
  }

  private static void range(Filling filling) {
    range(filling, 0, 600, 0, 1);
  }

  private static void grid(Filling filling) {
    range(filling, 0, 80, 0, 8);
    range(filling, 10, 40, 2, 3);
    range(filling, 30, 1, 0, 8);
    range(filling, 70, 20, 6, 4);
    range(filling, 0, 1, -200, 150);
  }

  private static void lists(Filling filling) {
    List<FabricAddress> descending = new ArrayList<>();
    List<FabricAddress> everyOther = new ArrayList<>();
    List<FabricAddress> columns = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      descending.add(address(filling, 399 - i, 1));
      everyOther.add(address(filling, 2 * i, 2));
      columns.add(address(filling, i % 40, 3 + i / 40));
    }
    filling.list(consecutive(filling, 0, 300, 0));
    filling.list(descending);
    filling.list(everyOther);
    filling.list(columns);
    for (int i = 300; i < 330; i++) { // one by one what follows from the first list
      filling.list(List.of(address(filling, i, 0)));
    }
  }

  private static void scattered(Filling filling) {
    Random random = new Random(7); // always the same: what varies is the vector
    List<FabricAddress> list = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      list.add(address(filling, 1_000 + random.nextInt(1 << 22), -random.nextInt(4_000)));
    }
    filling.list(list);
  }

  private static void mixed(Filling filling) {
    List<FabricAddress> inside = consecutive(filling, 0, 500, 0);
    Collections.shuffle(inside, new Random(11));
    filling.list(inside.subList(0, 60)); // scattered, and soon inside a range
    range(filling, 0, 500, 0, 1);
    range(filling, 100, 200, 0, 1); // a range inside a range
    range(filling, 400, 60, -3, 8); // a range across another
    filling.remove(7);
    filling.list(consecutive(filling, 600, 60, 1)); // others in the holes
    filling.list(inside.subList(200, 260)); // some of those that went, and some that did not
    filling.remove(50);
  }

  private static List<FabricAddress> consecutive(Filling filling, int from, int count, int column) {
    List<FabricAddress> list = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      list.add(address(filling, from + i, column));
    }
    return list;
  }

  private static FabricAddress address(Filling filling, int host, int column) {
    FabricAddress address =
        isIpv6(filling.format(), column)
            ? new SocketAddress6(PREFIX, HOSTS_6 + host, PORT + column, 0, 0)
            : new SocketAddress4((int) (HOSTS_4 + host), PORT + column);
    return filling.format() == AddressFormat.STR ? new TextAddress(address.toText()) : address;
  }

  /** Where both kinds may be, each has some columns. */
  private static boolean isIpv6(AddressFormat format, int column) {
    return switch (format) {
      case SOCKADDR_IN6 -> true;
      case SOCKADDR, SOCKADDR_IP -> column % 2 != 0;
      default -> false;
    };
  }

  private static void range(Filling filling, int host, int nodes, int column, int services) {
    FabricAddress first =
        isIpv6(filling.format(), column)
            ? new SocketAddress6(PREFIX, HOSTS_6 + host, 0, 0, 0)
            : new SocketAddress4((int) (HOSTS_4 + host), 0);
    String text = first.toString(); // fi_sockaddr_in://host:0 or fi_sockaddr_in6://[host]:0
    String node =
        text.substring(text.indexOf("://") + 3, text.lastIndexOf(':'))
            .replace("[", "")
            .replace("]", "");
    filling.range(node, nodes, PORT + column, services);
  }
}
