// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The ends of receives of an endpoint: with a message and its sender, or with a reason. Also says
 * what peers have written with immediate data. Guarded by the lock of the endpoint.
 */
public final class ReceiveOutcomes implements Receive.Owner {
  private static final long WRITTEN =
      Flag.maskOf(CompletionFlag.RMA, CompletionFlag.REMOTE_WRITE, CompletionFlag.REMOTE_CQ_DATA);
  private static final byte[] NONE = {};

  private final Completions completions;
  private final @Nullable Peers peers;
  private Sources sources;
  private final MessageSource source = new MessageSource();
  private final Operations<Receive> idleNotices = new Operations<>();

  // Those that say what peers have written, and have not been reported.
  private int notices;

  /** Connections that wait until more can be said of what peers write. */
  public final Deque<Link> starved = new ArrayDeque<>();

  /**
   * Nothing has ended yet.
   *
   * @param completions where it is reported
   * @param peers finds the senders of messages, or null where that is not asked
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

  /** Whether more can be said of what peers write. */
  public boolean hasNotices() {
    return notices < TcpLimits.NOTICES;
  }

  /** A completion for what a peer writes to our memory; null if too many wait already. */
  public @Nullable Receive takeNotice(long payload, long data) {
    if (!hasNotices()) {
      return null;
    }
    Receive notice = idleNotices.poll();
    if (notice == null) {
      notice = new Receive(this, true);
    }
    notices++;
    notice.begin(CounterFlag.RECEIVE, false);
    notice.asked = true;
    notice.completionFlags = WRITTEN;
    notice.room = payload;
    notice.receivedData = data;
    return notice;
  }

  /** A message is in the buffer, or as much of it as the buffer takes. */
  public void received(Receive receive, Sender from, long payload) {
    long fits = receive.wanted(payload);
    findSource(receive, from);
    if (fits < payload) {
      receive.fail(
          Errno.ETRUNC,
          fits,
          payload - fits,
          NONE,
          "a message of " + payload + " bytes came for a buffer of " + fits);
    } else if (peers != null && sources == Sources.ALL && !source.isKnown()) {
      if (from.authKey != Peers.NO_AUTH_KEY) {
        // The key under which it was sent is known (AV-168, AV-169).
        receive.source = peers.reportedAuthKey(from.authKey);
      }
      receive.fail(
          Errno.EADDRNOTAVAIL,
          payload,
          0,
          from.packed.toBytes(peers.format()),
          "the sender " + from + " is not in the address vector; what it sent is in memory");
    } else {
      receive.length = payload;
    }
    completions.report(receive);
  }

  /** A peek has found a message, or one was discarded: says which. */
  void found(Receive receive, Sender from, long payload) {
    findSource(receive, from);
    receive.length = payload;
    completions.report(receive);
  }

  /** A receive has ended without a message. */
  public void report(Receive receive) {
    completions.report(receive);
  }

  private void findSource(Receive receive, Sender from) {
    if (peers != null && sources != Sources.NONE) {
      from.find(peers, source);
      receive.source = source.reported();
    }
  }

  @Override
  public int number() {
    throw new IllegalStateException("a notice is not posted");
  }

  @Override
  public void reported(Receive notice) {
    notices--;
    notice.clear();
    idleNotices.add(notice);
  }
}
