// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.ofi4j.core.object.Misuse.invalid;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Flag;
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.core.object.Tally;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.net.endpoint.Senders;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * The receiving half of a datagram endpoint: posted buffers in the order of posting, and what
 * arrives for them. A datagram stays in the kernel until a buffer is posted and the completion
 * queue has room; what the kernel cannot hold is lost, as datagrams may be.
 *
 * <p>One lock guards all; nobody waits for it but those who post.
 */
final class DatagramReceiver {
  private static final long FLAGS = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.RECEIVE);
  private static final byte[] NONE = {};

  /** How many datagrams to take before others get their turn. */
  private static final int BATCH = 64;

  private final DatagramChannel channel;
  private final CoreCompletionQueue queue;
  private final ClaimedRoom room;
  private final Senders senders;
  private final Sources sources;
  private final Staging.Pool pool;

  private final ReentrantLock lock = new ReentrantLock();
  // A ring of posted receives: the first at head.
  private final @Nullable MemorySegment[] buffers;
  private final @Nullable Object[] contexts;
  private final boolean[] silent;
  private int head;
  private int count;
  // Contexts of withdrawn receives that the completion queue had no room for yet.
  private @Nullable Object[] withdrawn = {};
  private int withdrawnCount;
  private final Tally outstanding = new Tally();
  private boolean closed;

  DatagramReceiver(
      DatagramChannel channel,
      Binding binding,
      Senders senders,
      Sources sources,
      Staging.Pool pool,
      int size) {
    this.channel = channel;
    queue = binding.requiredQueue();
    room = new ClaimedRoom(binding, CounterFlag.RECEIVE, FLAGS);
    this.senders = senders;
    this.sources = sources;
    this.pool = pool;
    buffers = new @Nullable MemorySegment[size];
    contexts = new @Nullable Object[size];
    silent = new boolean[size];
  }

  /**
   * Posts a buffer.
   *
   * @param changed is run if there was none before, and who waits must look again
   * @return false if there is no room for another one
   */
  boolean post(
      MemorySegment buffer, @Nullable Object context, boolean inSilence, Runnable changed) {
    boolean first;
    lock.lock();
    try {
      if (closed) {
        throw invalid("the endpoint is closed: open a new one");
      }
      if (count + withdrawnCount == buffers.length) {
        return false;
      }
      int slot = (head + count) % buffers.length;
      buffers[slot] = buffer;
      contexts[slot] = context;
      silent[slot] = inSilence;
      first = ++count == 1;
      outstanding.add(1);
    } finally {
      lock.unlock();
    }
    if (first) {
      changed.run();
    }
    return true;
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  boolean cancel(@Nullable Object context) {
    lock.lock();
    try {
      for (int i = 0; i < count; i++) {
        if (contexts[(head + i) % buffers.length] == context) {
          takeOut(i);
          if (withdrawn.length == 0) {
            withdrawn = new @Nullable Object[buffers.length];
          }
          withdrawn[withdrawnCount++] = context;
          reportWithdrawn();
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Closes the gap that the i-th posted receive leaves. */
  private void takeOut(int i) {
    int length = buffers.length;
    for (int each = i; each < count - 1; each++) {
      int to = (head + each) % length;
      int from = (to + 1) % length;
      buffers[to] = buffers[from];
      contexts[to] = contexts[from];
      silent[to] = silent[from];
    }
    int lastSlot = (head + count - 1) % length;
    buffers[lastSlot] = null;
    contexts[lastSlot] = null;
    count--;
  }

  private void reportWithdrawn() {
    int reported = 0;
    while (reported < withdrawnCount && room.claim()) {
      outstanding.add(-1);
      room.fail(withdrawn[reported++], Errno.ECANCELED, "the receive was withdrawn with cancel");
    }
    if (reported > 0) {
      System.arraycopy(withdrawn, reported, withdrawn, 0, withdrawnCount - reported);
      Arrays.fill(withdrawn, withdrawnCount - reported, withdrawnCount, null);
      withdrawnCount -= reported;
    }
  }

  /** How many receives are posted, or were withdrawn and not reported; for any thread. */
  long outstanding() {
    return outstanding.get();
  }

  /** Takes what has arrived, unless another thread is at it. */
  void progress() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      if (withdrawnCount > 0) {
        reportWithdrawn();
      }
      if (count > 0 && !closed) {
        try (Staging staging = pool.borrow()) {
          int taken = 0;
          while (taken < BATCH && count > 0 && receive(staging)) {
            taken++;
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gets ready for a sleep; true if a datagram would be taken now. Waits for the lock, so that what
   * {@link #progress} had to leave to another thread is not left undone by both.
   */
  boolean settle() {
    lock.lock();
    try {
      if (withdrawnCount > 0) {
        reportWithdrawn();
      }
      return count > 0 && queue.hasRoom();
    } finally {
      lock.unlock();
    }
  }

  /** Takes one datagram; false if there is none or no room. */
  private boolean receive(Staging staging) {
    if (!room.claim()) {
      return false;
    }
    try {
      // Before the datagram is taken: memory that is gone must not cost one.
      String unusable = unusable();
      if (unusable != null) {
        failFirst(Errno.EINVAL, "the posted buffer " + unusable);
        return true;
      }
      SocketAddress sender = channel.receive(staging.buffer.clear());
      if (sender instanceof InetSocketAddress from) {
        deliver(staging, from);
        return true;
      }
      return false;
    } catch (IOException lost) {
      // An error that the network reported for an earlier send, or a channel that is being closed.
      return false;
    } finally {
      room.giveBack();
    }
  }

  private @Nullable String unusable() {
    MemorySegment buffer = buffers[head];
    return buffer == null ? "is gone" : PostedMemory.refusal(buffer, Thread.currentThread());
  }

  private void deliver(Staging staging, InetSocketAddress from) {
    int length = staging.buffer.position();
    MemorySegment buffer = buffers[head];
    long fits = buffer == null ? 0 : Math.min(length, buffer.byteSize());
    if (buffer != null) {
      try {
        MemorySegment.copy(staging.segment, 0, buffer, 0, fits);
      } catch (IllegalStateException freedMeanwhile) {
        failFirst(Errno.EINVAL, "the posted buffer has been freed while a message arrived for it");
        return;
      } catch (InternalError fault) {
        // A mapped file that has become shorter.
        failFirst(
            Errno.EFAULT,
            "the posted buffer cannot be written to any more, and the message is lost: "
                + fault.getMessage());
        return;
      }
    }
    MessageSource sender = sources == Sources.NONE ? senders.none() : senders.find(from);
    long source = sender.reported();
    Object context = contexts[head];
    boolean inSilence = silent[head];
    removeFirst();
    if (fits < length) {
      room.fail(
          context,
          fits,
          length - fits,
          source,
          Errno.ETRUNC,
          NONE,
          "a message of " + length + " bytes came for a buffer of " + fits);
    } else if (!sender.isKnown() && sources == Sources.ALL) {
      room.fail(
          context,
          length,
          0,
          source,
          Errno.EADDRNOTAVAIL,
          senders.packedLast(),
          "the sender "
              + FabricAddress.of(from)
              + " is not in the address vector; the message is in the buffer");
    } else if (inSilence) {
      room.completeInSilence(length);
    } else {
      room.complete(context, length, source, length);
    }
  }

  private void failFirst(Errno errno, String reason) {
    Object context = contexts[head];
    removeFirst();
    room.fail(context, errno, reason);
  }

  private void removeFirst() {
    buffers[head] = null;
    contexts[head] = null;
    head = (head + 1) % buffers.length;
    count--;
    outstanding.add(-1);
  }

  /** Drops what is posted; no buffer is written to after this returns. */
  void close() {
    lock.lock();
    try {
      closed = true;
      count = 0;
      withdrawnCount = 0;
      Arrays.fill(buffers, null);
      Arrays.fill(contexts, null);
      Arrays.fill(withdrawn, null);
    } finally {
      lock.unlock();
    }
  }
}
