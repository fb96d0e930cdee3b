// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.net.endpoint.Destinations;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * The sending half of a datagram endpoint. A message goes to the kernel at once if it can; while
 * the socket's buffer or the completion queue is full it waits in a queue, and those behind it as
 * well, so that messages leave and complete in the order of posting.
 *
 * <p>One lock guards all. It is held while the kernel takes a message, as the channel's own lock
 * would be.
 */
final class DatagramTransmitter extends DatagramQueue implements Transmitter {
  private static final long FLAGS =
      Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.INJECT, TransferFlag.MORE);

  private final Destinations destinations;

  // Tells whether the socket would take a datagram; opened for the first that is empty.
  private @Nullable Selector writable;

  /**
   * Nothing is sent yet.
   *
   * @param changed is run, without the lock, when a message waits and none did before
   */
  DatagramTransmitter(
      DatagramChannel channel,
      Completions completions,
      Destinations destinations,
      Staging.Pool staging,
      int size,
      Runnable changed) {
    super(channel, completions, staging, size, changed);
    this.destinations = destinations;
  }

  @Override
  public long flags(CounterFlag what) {
    return FLAGS;
  }

  @Override
  public @Nullable Operation take(CounterFlag what, boolean tagged, long peer) {
    InetSocketAddress target = destinations.of(peer);
    Datagram message = pool.take(what, tagged);
    if (message != null) {
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
      message.memory.remember();
    }
    add(message);
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
  boolean move(Datagram first, Staging borrowed) {
    // Out of the list first: it is used again when it was reported.
    waiting.poll();
    boolean sent = send(borrowed, first);
    if (!sent) {
      waiting.addAfter(null, first);
    }
    return sent;
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
    if (length == 0 && !isWritable()) {
      return false;
    }
    message.memory.copyTo(borrowed.segment, 0, 0, length);
    // After the copy: the application may change the message at any moment.
    String changed = message.memory.changed();
    if (changed != null) {
      throw new IllegalStateException(changed);
    }
    return channel.send(borrowed.buffer.clear().limit(length), target) == length;
  }

  /** A channel answers 0 to an empty datagram both when it was sent and when there was no room. */
  private boolean isWritable() throws IOException {
    Selector present = writable;
    if (present == null) {
      present = Selector.open();
      writable = present;
      channel.register(present, SelectionKey.OP_WRITE);
    }
    return present.selectNow(key -> {}) > 0;
  }

  @Override
  void close() {
    super.close();
    Quietly.close(writable);
  }
}
