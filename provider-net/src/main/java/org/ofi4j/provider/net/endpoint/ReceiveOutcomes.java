// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Peers;

/**
 * The ends of receives of an endpoint with a message, and its sender as far as completions say it.
 * Writes of peers with immediate data end here too. Guarded by the lock of the endpoint.
 */
public final class ReceiveOutcomes {
  private static final byte[] NONE = {};

  private final Completions completions;
  private final @Nullable Peers peers;
  private Sources sources;
  private final MessageSource source = new MessageSource();

  /**
   * Nothing has ended yet.
   *
   * @param completions where it is reported
   * @param peers finds the senders of messages, or null where that is not asked
   * @param sources says which senders are reported
   */
  public ReceiveOutcomes(Completions completions, @Nullable Peers peers, Sources sources) {
    this.completions = completions;
    this.peers = peers;
    this.sources = sources;
  }

  public Completions completions() {
    return completions;
  }

  /** Says which sources are reported from now on. */
  public void tell(Sources wanted) {
    sources = wanted;
  }

  /** Returns whether senders are looked for; {@link #received} needs none otherwise. */
  public boolean tellsSources() {
    return peers != null && sources != Sources.NONE;
  }

  /**
   * The bytes of a message or a write are in memory, or as many of them as it takes.
   *
   * @param from the sender
   * @param authKey the authorization key under which it was sent, or {@link Peers#NO_AUTH_KEY}
   * @param fits how many bytes are in memory
   */
  public void received(
      Operation operation, @Nullable SenderAddress from, int authKey, long payload, long fits) {
    findSource(operation, from, authKey);
    if (fits < payload) {
      operation.fail(
          Errno.ETRUNC,
          fits,
          payload - fits,
          NONE,
          "a message of " + payload + " bytes came for a buffer of " + fits);
    } else if (peers != null && from != null && sources == Sources.ALL && !source.isKnown()) {
      if (authKey != Peers.NO_AUTH_KEY) {
        // The key under which it was sent is known (AV-168, AV-169).
        operation.source = peers.reportedAuthKey(authKey);
      }
      operation.fail(
          Errno.EADDRNOTAVAIL,
          payload,
          0,
          from.toBytes(peers.format()),
          "the sender " + from + " is not in the address vector; what it sent is in memory");
    } else {
      operation.length = payload;
    }
    completions.report(operation);
  }

  /** A peek has found a message, or one was discarded: says which. */
  public void found(Operation search, SenderAddress from, int authKey, long payload) {
    findSource(search, from, authKey);
    search.length = payload;
    completions.report(search);
  }

  private void findSource(Operation operation, @Nullable SenderAddress from, int authKey) {
    if (peers != null && from != null && sources != Sources.NONE) {
      from.find(peers, authKey, source);
      operation.source = source.reported();
    }
  }
}
