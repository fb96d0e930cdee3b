// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.kit.Wakeups;
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
final class DatagramTransmitter implements Transmitter {
  private static final long FLAGS =
      Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.INJECT, TransferFlag.MORE);

  /** How many waiting messages to send before others get their turn. */
  private static final int BATCH = 64;

  private final DatagramChannel channel;
  private final Completions completions;
  private final Destinations destinations;
  private final Staging.Pool staging;
  private final WriteProbe probe;
  private final Runnable changed;

  private final ReentrantLock lock = new ReentrantLock();
  private final Runnable release = lock::unlock;
  private final Wakeups wakeups = new Wakeups();
  private final OperationPool<Datagram> pool;
  private final Operations<Datagram> waiting = new Operations<>();
  private boolean firstWaits;
  private boolean closed;

  /**
   * Nothing is sent yet.
   *
   * @param changed is run, without the lock, when a message waits and none did before
   */
  @SuppressWarnings("this-escape") // kept for later
  DatagramTransmitter(
      DatagramChannel channel,
      Completions completions,
      Destinations destinations,
      Staging.Pool staging,
      int size,
      Runnable changed) {
    this.channel = channel;
    this.completions = completions;
    this.destinations = destinations;
    this.staging = staging;
    this.changed = changed;
    probe = new WriteProbe(channel);
    completions.wakeThrough(wakeups);
    pool = new OperationPool<>(size, this::datagram);
  }

  private Datagram datagram() {
    return new Datagram(pool);
  }

  @Override
  public long flags(CounterFlag what) {
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

  @Override
  public @Nullable Operation take(CounterFlag what, boolean tagged, long peer) {
    InetSocketAddress target = destinations.of(peer);
    Datagram message = pool.take();
    if (message != null) {
      message.begin(what, tagged);
      message.target = target;
    }
    return message;
  }

  @Override
  public void post(Operation operation) {
    Datagram message = (Datagram) operation;
    if (waiting.isEmpty() && completions.hasRoom()) {
      try (Staging borrowed = borrow(message)) {
        if (send(borrowed, message)) {
          return;
        }
      }
    }
    if (message.inject) {
      copy(message);
    } else {
      message.fingerprint = message.memory.fingerprint();
    }
    waiting.add(message);
    firstWaits |= waiting.size() == 1;
  }

  private Staging borrow(Datagram message) {
    try {
      return staging.borrow();
    } catch (FabricException noMemory) {
      pool.giveBack(message);
      throw noMemory;
    }
  }

  private void copy(Datagram message) {
    MemorySegment copy = message.copy;
    if (copy == null) {
      copy = MemorySegment.ofArray(new byte[UdpLimits.INJECT_SIZE]);
      message.copy = copy;
    }
    long length = message.memory.length();
    try {
      message.memory.copyTo(copy, 0, 0, length);
    } catch (InternalError fault) {
      pool.giveBack(message);
      throw new FabricException(
          Errno.EFAULT, "message cannot be read any more: " + fault.getMessage(), fault);
    }
    message.memory.set(copy, 0, length);
  }

  @Override
  public long outstanding() {
    return pool.outstanding();
  }

  /** Sends what waits, unless another thread is at it. */
  void progress() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      completions.reportKept();
      if (!waiting.isEmpty()) {
        try (Staging borrowed = staging.borrow()) {
          for (int sent = 0; sent < BATCH && sendFirst(borrowed); sent++) {
            // Goes on.
          }
        }
      }
    } finally {
      wakeups.wakeAfter(release);
    }
  }

  private boolean sendFirst(Staging borrowed) {
    Datagram first = waiting.first();
    if (first == null || !completions.hasRoom()) {
      return false;
    }
    // Out of the list first: it is used again when it was reported.
    waiting.poll();
    boolean sent = send(borrowed, first);
    if (!sent) {
      waiting.addAfter(null, first);
    }
    return sent;
  }

  /** Whether a message waits that would be sent if the socket took it. */
  boolean wants() {
    lock.lock();
    try {
      completions.reportKept();
      return !waiting.isEmpty() && completions.hasRoom();
    } finally {
      wakeups.wakeAfter(release);
    }
  }

  /** Sends one message and reports what became of it; false if it has to wait. */
  private boolean send(Staging borrowed, Datagram message) {
    InetSocketAddress target = Objects.requireNonNull(message.target);
    try {
      if (!handOver(borrowed, message, target)) {
        return false;
      }
    } catch (ClosedChannelException closing) {
      // Closing an endpoint drops what is posted.
      pool.giveBack(message);
      return true;
    } catch (IOException | RuntimeException | InternalError failed) {
      completions.fail(
          message,
          NetworkErrors.of(failed),
          "the message to " + FabricAddress.of(target) + " was not sent: " + failed.getMessage());
      return true;
    }
    completions.report(message);
    return true;
  }

  /** Gives a message to the kernel; false if its buffer is full. */
  private boolean handOver(Staging borrowed, Datagram message, InetSocketAddress target)
      throws IOException {
    int length = (int) message.memory.length();
    if (length == 0 && !probe.isWritable()) {
      return false;
    }
    message.memory.copyTo(borrowed.segment, 0, 0, length);
    if (message.fingerprint != PostedMemory.UNKNOWN) {
      // After the copy: the application may change the message at any moment.
      String reason =
          PostedMemory.changed(
              message.memory.at(0), message.fingerprint, message.memory.fingerprint());
      if (reason != null) {
        throw new IllegalStateException(reason);
      }
    }
    return channel.send(borrowed.buffer.clear().limit(length), target) == length;
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      completions.detach();
      waiting.clear();
      pool.clear();
      probe.close();
    } finally {
      wakeups.wakeAfter(release);
    }
  }
}
