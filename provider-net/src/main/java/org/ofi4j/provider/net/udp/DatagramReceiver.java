// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.SenderCache;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * The receiving half of a datagram endpoint: posted buffers in the order of posting, and what
 * arrives for them. A datagram stays in the kernel until a buffer is posted and the completion
 * queue has room; what the kernel cannot hold is lost, as datagrams may be.
 *
 * <p>One lock guards all; only those who post wait for it.
 */
final class DatagramReceiver extends DatagramQueue implements Receiver {
  private static final long FLAGS = Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE);

  private final ReceiveOutcomes outcomes;
  private final SenderCache senders;

  /**
   * Nothing is received yet.
   *
   * @param changed is run, without the lock, when a buffer is posted and none was before
   */
  DatagramReceiver(
      DatagramChannel channel,
      ReceiveOutcomes outcomes,
      SenderCache senders,
      Staging.Pool staging,
      int size,
      Runnable changed) {
    super(channel, outcomes.completions(), staging, size, changed);
    this.senders = senders;
    this.outcomes = outcomes;
  }

  @Override
  public long flags() {
    return FLAGS;
  }

  /** The source is not looked at: datagrams offer no directed receives (AV-217, AV-218). */
  @Override
  public @Nullable Operation take(
      boolean tagged, long source, boolean directed, long flags, @Nullable Object context) {
    return pool.take(CounterFlag.RECEIVE, tagged);
  }

  @Override
  public boolean post(Operation operation) {
    add((Datagram) operation);
    return true;
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    Datagram first = waiting.remove(context);
    if (first != null) {
      completions.fail(first, Errno.ECANCELED, "the receive was withdrawn with cancel");
    }
    return first != null;
  }

  @Override
  boolean move(Datagram first, Staging borrowed) {
    // Before the datagram is taken: memory that is gone must not cost one.
    String unusable = first.memory.refusal(Thread.currentThread());
    if (unusable != null) {
      fail(Errno.EINVAL, "the posted buffer " + unusable);
      return true;
    }
    try {
      SocketAddress sender = channel.receive(borrowed.buffer.clear());
      if (sender instanceof InetSocketAddress from) {
        deliver(first, borrowed, from);
        return true;
      }
    } catch (IOException lost) {
      // An error that the network reported for an earlier send, or a channel that is being closed.
    }
    return false;
  }

  private void deliver(Datagram buffer, Staging borrowed, InetSocketAddress from) {
    int length = borrowed.buffer.position();
    long fits = Math.min(length, buffer.memory.length());
    try {
      buffer.memory.copyFrom(borrowed.segment, 0, 0, fits);
    } catch (IllegalStateException | InternalError unusable) {
      // It was freed since, or is of a mapped file that has become shorter.
      fail(
          NetworkErrors.of(unusable),
          "the posted buffer cannot be written to any more, and the message is lost: "
              + unusable.getMessage());
      return;
    }
    waiting.poll();
    SenderAddress sender = outcomes.tellsSources() ? senders.find(from) : null;
    outcomes.received(buffer, sender, Peers.NO_AUTH_KEY, length, fits);
  }

  private void fail(Errno errno, String reason) {
    completions.fail(Objects.requireNonNull(waiting.poll()), errno, reason);
  }
}
