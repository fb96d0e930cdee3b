// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.transfer.Outcomes;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * How receives of an endpoint end: with a message and who sent it, or with a reason. Also says what
 * peers have written with immediate data. Guarded by the lock of the endpoint.
 */
public final class ReceiveOutcomes extends Outcomes<Receive> {
  private static final long WRITTEN =
      Flag.maskOf(CompletionFlag.RMA, CompletionFlag.REMOTE_WRITE, CompletionFlag.REMOTE_CQ_DATA);
  private static final byte[] NONE = {};

  private final @Nullable TransferPeers peers;
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
   * @param binding where it is reported, or null to be said later
   * @param peers tells who sends, or null where that is not asked
   */
  public ReceiveOutcomes(
      @Nullable Binding binding, @Nullable TransferPeers peers, Sources sources) {
    super(binding);
    this.peers = peers;
    this.sources = sources;
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
      notice = new Receive(null);
    }
    notices++;
    notice.flags = WRITTEN;
    notice.room = payload;
    notice.data = data;
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
      if (from.authKey != TransferPeers.NO_AUTH_KEY) {
        // What is known of the sender is under which key it has sent (AV-168, AV-169).
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
    report(receive);
  }

  /** A peek has found a message, or one was discarded: says which. */
  void found(Receive receive, Sender from, long payload) {
    findSource(receive, from);
    receive.length = payload;
    report(receive);
  }

  private void findSource(Receive receive, Sender from) {
    if (peers != null && sources != Sources.NONE) {
      from.find(peers, source);
      receive.source = source.reported();
    }
  }

  /**
   * Looking for a message receives none, nor does a buffer that is given back. What was written to
   * our memory is counted with all other writes.
   */
  @Override
  public @Nullable CounterFlag counted(Receive receive) {
    boolean empty = receive.several && receive.failure == null;
    return receive.search || receive.isNotice() || empty ? null : CounterFlag.RECEIVE;
  }

  @Override
  public long moved(Receive receive) {
    return receive.length;
  }

  @Override
  public void reported(Receive receive) {
    Receive.Owner posted = receive.owner();
    if (posted == null) {
      notices--;
      receive.clear();
      idleNotices.add(receive);
    } else {
      posted.reported(receive);
    }
  }
}
