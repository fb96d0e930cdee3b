// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.Wakeups;
import org.ofi4j.provider.net.endpoint.Senders;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * The receiving half of a datagram endpoint: posted buffers in the order of posting, and what
 * arrives for them. A datagram stays in the kernel until a buffer is posted and the completion
 * queue has room; what the kernel cannot hold is lost, as datagrams may be.
 *
 * <p>One lock guards all; only those who post wait for it.
 */
final class DatagramReceiver implements Receiver {
  private static final long FLAGS = Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE);
  private static final byte[] NONE = {};

  /** How many datagrams to take before others get their turn. */
  private static final int BATCH = 64;

  private final DatagramChannel channel;
  private final Completions completions;
  private final Senders senders;
  private final Sources sources;
  private final Staging.Pool staging;
  private final Runnable changed;

  private final ReentrantLock lock = new ReentrantLock();
  private final Runnable release = lock::unlock;
  private final Wakeups wakeups = new Wakeups();
  private final OperationPool<Datagram> pool;
  private final Operations<Datagram> posted = new Operations<>();
  private boolean firstWaits;
  private boolean closed;

  /**
   * Nothing is received yet.
   *
   * @param changed is run, without the lock, when a buffer is posted and none was before
   */
  @SuppressWarnings("this-escape") // kept for later
  DatagramReceiver(
      DatagramChannel channel,
      Completions completions,
      Senders senders,
      Sources sources,
      Staging.Pool staging,
      int size,
      Runnable changed) {
    this.channel = channel;
    this.completions = completions;
    this.senders = senders;
    this.sources = sources;
    this.staging = staging;
    this.changed = changed;
    completions.wakeThrough(wakeups);
    pool = new OperationPool<>(size, this::datagram);
  }

  private Datagram datagram() {
    return new Datagram(pool);
  }

  @Override
  public long flags() {
    return FLAGS;
  }

  @Override
  public void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
  }

  @Override
  public void unlock() {
    boolean tell = firstWaits;
    firstWaits = false;
    wakeups.wakeAfter(release);
    if (tell) {
      changed.run();
    }
  }

  /** The source is not looked at: datagrams offer no directed receives (AV-217, AV-218). */
  @Override
  public @Nullable Operation take(
      boolean tagged, long source, boolean directed, long flags, @Nullable Object context) {
    Datagram buffer = pool.take();
    if (buffer != null) {
      buffer.begin(CounterFlag.RECEIVE, tagged);
    }
    return buffer;
  }

  @Override
  public boolean post(Operation operation) {
    posted.add((Datagram) operation);
    firstWaits |= posted.size() == 1;
    return true;
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    lock.lock();
    try {
      Datagram first = posted.remove(context);
      if (first != null) {
        completions.fail(first, Errno.ECANCELED, "the receive was withdrawn with cancel");
      }
      return first != null;
    } finally {
      wakeups.wakeAfter(release);
    }
  }

  @Override
  public long outstanding() {
    return pool.outstanding();
  }

  /** Takes what has arrived, unless another thread is at it. */
  void progress() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      completions.reportKept();
      if (!posted.isEmpty() && !closed) {
        try (Staging borrowed = staging.borrow()) {
          for (int taken = 0; taken < BATCH && receive(borrowed); taken++) {
            // Goes on.
          }
        }
      }
    } finally {
      wakeups.wakeAfter(release);
    }
  }

  /**
   * Gets ready for a sleep; true if a datagram would be taken now. Waits for the lock, so that what
   * {@link #progress} had to leave to another thread is not left undone by both.
   */
  boolean settle() {
    lock.lock();
    try {
      completions.reportKept();
      return !posted.isEmpty() && completions.hasRoom();
    } finally {
      wakeups.wakeAfter(release);
    }
  }

  /** Takes one datagram; false if there is none, no buffer or no room. */
  private boolean receive(Staging borrowed) {
    Datagram first = posted.first();
    if (first == null || !completions.hasRoom()) {
      return false;
    }
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
    } catch (IllegalStateException freedMeanwhile) {
      fail(Errno.EINVAL, "the posted buffer has been freed while a message arrived for it");
      return;
    } catch (InternalError fault) {
      // A mapped file that has become shorter.
      fail(
          Errno.EFAULT,
          "the posted buffer cannot be written to any more, and the message is lost: "
              + fault.getMessage());
      return;
    }
    MessageSource sender = sources == Sources.NONE ? senders.none() : senders.find(from);
    buffer.source = sender.reported();
    if (fits < length) {
      buffer.fail(
          Errno.ETRUNC,
          fits,
          length - fits,
          NONE,
          "a message of " + length + " bytes came for a buffer of " + fits);
    } else if (!sender.isKnown() && sources == Sources.ALL) {
      buffer.fail(
          Errno.EADDRNOTAVAIL,
          length,
          0,
          senders.packedLast(),
          "the sender "
              + FabricAddress.of(from)
              + " is not in the address vector; the message is in the buffer");
    } else {
      buffer.length = length;
    }
    posted.poll();
    completions.report(buffer);
  }

  private void fail(Errno errno, String reason) {
    completions.fail(Objects.requireNonNull(posted.poll()), errno, reason);
  }

  /** Drops what is posted; no buffer is written to after this returns. */
  void close() {
    lock.lock();
    try {
      closed = true;
      completions.detach();
      posted.clear();
      pool.clear();
    } finally {
      wakeups.wakeAfter(release);
    }
  }
}
