// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.transfer.Link;

/**
 * The ends of receives of an endpoint: with a message and its sender, or with a reason. Writes of
 * peers with immediate data end here too. Guarded by the lock of the endpoint.
 */
public final class ReceiveOutcomes {
  private static final byte[] NONE = {};

  private final Completions completions;
  private final @Nullable Peers peers;
  private Sources sources;
  private final MessageSource source = new MessageSource();

  /** Connections that wait until more completions of writes of peers were reported. */
  public final Deque<Link> starved = new ArrayDeque<>();

  /** The number of completions of writes of peers that were not reported yet. */
  public int notices;

  /**
   * Nothing has ended yet.
   *
   * @param completions where it is reported
   * @param peers finds the senders of messages, or null where that is not asked
   */
  public ReceiveOutcomes(Completions completions, @Nullable Peers peers, FabricInfo info) {
    this.completions = completions;
    this.peers = peers;
    sources = Sources.of(info);
  }

  public Completions completions() {
    return completions;
  }

  /** Says which sources are reported from now on. */
  public void tell(Sources wanted) {
    sources = wanted;
  }

  /**
   * The bytes of a message or a write are in memory, or as many of them as it takes.
   *
   * @param fits how many those are
   */
  public void received(Operation operation, Sender from, long payload, long fits) {
    findSource(operation, from);
    if (fits < payload) {
      operation.fail(
          Errno.ETRUNC,
          fits,
          payload - fits,
          NONE,
          "a message of " + payload + " bytes came for a buffer of " + fits);
    } else if (peers != null && sources == Sources.ALL && !source.isKnown()) {
      if (from.authKey != Peers.NO_AUTH_KEY) {
        // The key under which it was sent is known (AV-168, AV-169).
        operation.source = peers.reportedAuthKey(from.authKey);
      }
      operation.fail(
          Errno.EADDRNOTAVAIL,
          payload,
          0,
          from.packed.toBytes(peers.format()),
          "the sender " + from + " is not in the address vector; what it sent is in memory");
    } else {
      operation.length = payload;
    }
    completions.report(operation);
  }

  /** A peek has found a message, or one was discarded: says which. */
  void found(Operation search, Sender from, long payload) {
    findSource(search, from);
    search.length = payload;
    completions.report(search);
  }

  private void findSource(Operation operation, Sender from) {
    if (peers != null && sources != Sources.NONE) {
      from.find(peers, source);
      operation.source = source.reported();
    }
  }
}
