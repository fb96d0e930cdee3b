// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import java.util.Set;

/**
 * Over which fabrics libfabric does not end a receive as it should whose message is longer. Their
 * receives have a second piece of memory, which is never read, for the bytes that do not fit. So no
 * message is longer than its receive, and the length says whether bytes were dropped. The faults
 * are listed in {@code docs/internals/native.md}.
 *
 * <p>Receives over hardware have no second piece: it would have to be registered, and was never
 * tried.
 */
public final class OverlongMessages {
  /** Those that have a fault in some release from 1.17 on. */
  private static final Set<String> FAULTY =
      Set.of("shm", "net", "tcp", "udp", "net;ofi_rxm", "tcp;ofi_rxm", "udp;ofi_rxd");

  private OverlongMessages() {}

  /** Whether receives of a provider need memory for what does not fit. */
  public static boolean needSink(String provider) {
    return FAULTY.contains(provider);
  }
}
