// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.ofi4j.core.object.Misuse.invalid;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.core.object.Tally;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.net.endpoint.Destinations;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * The sending half of a datagram endpoint. A message goes to the kernel at once if it can; while
 * the socket's buffer or the completion queue is full it waits in a queue, and those behind it as
 * well, so that messages leave and complete in the order of posting.
 *
 * <p>One lock guards all. It is held while the kernel takes a message, as the channel's own lock
 * would be.
 */
final class DatagramTransmitter {
  private static final long FLAGS = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.SEND);

  /** How many waiting messages to send before others get their turn. */
  private static final int BATCH = 64;

  private final DatagramChannel channel;
  private final CoreCompletionQueue queue;
  private final ClaimedRoom room;
  private final Destinations destinations;
  private final Staging.Pool pool;
  private final WriteProbe probe;

  private final ReentrantLock lock = new ReentrantLock();
  // A ring of messages that wait: the first at head.
  private final @Nullable MemorySegment[] messages;
  private final @Nullable InetSocketAddress[] targets;
  private final @Nullable Object[] contexts;
  private final boolean[] silent;
  // Of the bytes that the application must leave as they are.
  private final long[] fingerprints;
  private int head;
  private int count;
  private final Tally outstanding = new Tally();
  // Holds injected messages that wait, one for each slot of the ring. Made when one has to.
  private @Nullable MemorySegment injected;
  private boolean closed;

  DatagramTransmitter(
      DatagramChannel channel,
      Binding binding,
      Destinations destinations,
      Staging.Pool pool,
      int size) {
    this.channel = channel;
    queue = binding.requiredQueue();
    room = new ClaimedRoom(binding, CounterFlag.SEND, FLAGS);
    this.destinations = destinations;
    this.pool = pool;
    this.probe = new WriteProbe(channel);
    messages = new @Nullable MemorySegment[size];
    targets = new @Nullable InetSocketAddress[size];
    contexts = new @Nullable Object[size];
    silent = new boolean[size];
    fingerprints = new long[size];
  }

  /**
   * Sends a message or lets it wait.
   *
   * @param inject whether the message's memory may change once this returns
   * @param changed is run if it is the first one that waits, and who moves data must look again
   * @return false if there is no room for another one that waits
   */
  boolean post(
      MemorySegment message,
      long destination,
      @Nullable Object context,
      boolean inSilence,
      boolean inject,
      Runnable changed) {
    boolean first;
    lock.lock();
    try {
      if (closed) {
        throw invalid("the endpoint is closed: open a new one");
      }
      InetSocketAddress target = destinations.of(destination);
      if (count == 0 && sendNow(message, target, context, inSilence)) {
        return true;
      }
      if (count == messages.length) {
        return false;
      }
      int slot = (head + count) % messages.length;
      messages[slot] = inject ? copy(message, slot) : message;
      targets[slot] = target;
      contexts[slot] = context;
      silent[slot] = inSilence;
      fingerprints[slot] = inject ? PostedMemory.UNKNOWN : fingerprint(message);
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

  private boolean sendNow(
      MemorySegment message,
      InetSocketAddress target,
      @Nullable Object context,
      boolean inSilence) {
    try (Staging staging = pool.borrow()) {
      return send(staging, message, PostedMemory.UNKNOWN, target, context, inSilence);
    }
  }

  private MemorySegment copy(MemorySegment message, int slot) {
    MemorySegment copies = injected;
    if (copies == null) {
      copies = Arena.ofAuto().allocate((long) messages.length * UdpLimits.INJECT_SIZE);
      injected = copies;
    }
    MemorySegment copy = copies.asSlice((long) slot * UdpLimits.INJECT_SIZE, message.byteSize());
    try {
      return copy.copyFrom(message);
    } catch (InternalError fault) {
      throw new FabricException(
          Errno.EFAULT, "message cannot be read any more: " + fault.getMessage(), fault);
    }
  }

  /** How many messages wait; for any thread. */
  long outstanding() {
    return outstanding.get();
  }

  /** Sends what waits, unless another thread is at it. */
  void progress() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      if (count > 0) {
        try (Staging staging = pool.borrow()) {
          int sent = 0;
          while (sent < BATCH && count > 0 && sendFirst(staging)) {
            sent++;
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether a message waits that would be sent if the socket took it. */
  boolean wants() {
    lock.lock();
    try {
      return count > 0 && queue.hasRoom();
    } finally {
      lock.unlock();
    }
  }

  private boolean sendFirst(Staging staging) {
    MemorySegment message = messages[head];
    InetSocketAddress target = targets[head];
    if (message == null || target == null) {
      return false;
    }
    // Before anybody can know that it has ended.
    outstanding.add(-1);
    boolean done = false;
    try {
      done = send(staging, message, fingerprints[head], target, contexts[head], silent[head]);
    } finally {
      if (!done) {
        outstanding.add(1);
      }
    }
    if (!done) {
      return false;
    }
    messages[head] = null;
    targets[head] = null;
    contexts[head] = null;
    head = (head + 1) % messages.length;
    count--;
    return true;
  }

  private static long fingerprint(MemorySegment message) {
    return PostedMemory.fingerprint(message, 0, message.byteSize());
  }

  /** Sends one message and reports what became of it; false if it has to wait. */
  private boolean send(
      Staging staging,
      MemorySegment message,
      long fingerprint,
      InetSocketAddress target,
      @Nullable Object context,
      boolean inSilence) {
    if (!room.claim()) {
      return false;
    }
    try {
      if (!handOver(staging, message, fingerprint, target)) {
        return false;
      }
      if (inSilence) {
        room.completeInSilence(message.byteSize());
      } else {
        room.complete(context, 0, Handles.NOT_AVAILABLE, message.byteSize());
      }
      return true;
    } catch (ClosedChannelException closing) {
      // Closing an endpoint drops what is posted.
      return true;
    } catch (IOException | RuntimeException | InternalError failed) {
      if (room.isHeld()) {
        room.fail(
            context,
            NetworkErrors.of(failed),
            "the message to " + FabricAddress.of(target) + " was not sent: " + failed.getMessage());
      }
      return true;
    } finally {
      room.giveBack();
    }
  }

  /** Gives a message to the kernel; false if its buffer is full. */
  private boolean handOver(
      Staging staging, MemorySegment message, long fingerprint, InetSocketAddress target)
      throws IOException {
    int length = (int) message.byteSize();
    if (length == 0 && !probe.isWritable()) {
      return false;
    }
    MemorySegment.copy(message, 0, staging.segment, 0, length);
    if (fingerprint != PostedMemory.UNKNOWN) {
      // After the copy: the application may change the message at any moment.
      String changed = PostedMemory.changed(message, fingerprint, fingerprint(message));
      if (changed != null) {
        throw new IllegalStateException(changed);
      }
    }
    int taken = channel.send(staging.buffer.clear().limit(length), target);
    return taken == length;
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      count = 0;
      Arrays.fill(messages, null);
      Arrays.fill(targets, null);
      Arrays.fill(contexts, null);
      injected = null;
      probe.close();
    } finally {
      lock.unlock();
    }
  }
}
