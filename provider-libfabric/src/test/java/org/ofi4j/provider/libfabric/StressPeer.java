// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ofi4j.FabricAddress;
import org.ofi4j.RemotePlace;

/** An endpoint of any process of the stress test, as the processes that send to it know it. */
final class StressPeer {
  /** The number of its process, and its own number in there. */
  final String key;

  final FabricAddress address;

  /** Memory that it offers, by the name of the region. */
  final Map<String, RemotePlace> places = new ConcurrentHashMap<>();

  /** Whether its process, or the endpoint alone, has ended, as far as is known. */
  volatile boolean gone;

  StressPeer(String key, FabricAddress address) {
    this.key = key;
    this.address = address;
  }

  /** The destination that messages to an address name. */
  static int destination(FabricAddress address) {
    return Arrays.hashCode(address.toBytes());
  }
}
