// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.example.loopback.Parcel.Access;
import org.example.loopback.Parcel.Answer;
import org.example.loopback.Parcel.Message;
import org.ofi4j.Capability;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricInfo;
import org.ofi4j.RemotePlace;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Misuse;
import org.ofi4j.provider.kit.PolledProgress;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.Regions;
import org.ofi4j.provider.kit.RegisteredMemory;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.kit.Wakeups;

/**
 * An open endpoint: an inbox, in which other endpoints put parcels, and the halves that send and
 * receive.
 *
 * <p>One lock guards both halves and the memory of peers. A thread that posts takes it, and so does
 * one that polls. To put a parcel into an inbox takes no lock, so a thread holds the lock of one
 * endpoint at most, and two endpoints that send to each other cannot wait for each other.
 */
final class LoopbackEndpoint implements Transport, PolledProgress.Polled, Regions.User {
  /** The number of parcels to take before other endpoints are polled. */
  private static final int BATCH = 64;

  /** The number of messages that may wait for a receive without their senders waiting too. */
  private static final int ROOM = 1_024;

  private final LoopbackNetwork network;
  private final SocketAddress4 name;
  private final MemorySegment packedName;
  private final PolledProgress progress;
  private final EndpointOpening opening;
  private final Regions regions;
  private final Counters counters;
  private final LoopbackTransmitter transmitter;
  private final LoopbackReceiver receiver;

  private final Queue<Parcel> inbox = new ConcurrentLinkedQueue<>();

  /** The number of messages that no receive has taken. */
  private final AtomicInteger backlog = new AtomicInteger();

  private final ReentrantLock lock = new ReentrantLock();
  private final Wakeups wakeups = new Wakeups(lock::unlock);
  private volatile boolean closed;

  // Null until the endpoint begins.
  private volatile PolledProgress.Registration registration;

  LoopbackEndpoint(
      LoopbackNetwork network,
      SocketAddress4 name,
      PolledProgress progress,
      EndpointOpening opening) {
    this.network = network;
    this.name = name;
    this.progress = progress;
    this.opening = opening;
    packedName = MemorySegment.ofArray(name.toBytes());
    regions = opening.regions();
    counters = opening.counters();
    Completions sends = opening.sends();
    Completions receives = opening.receives();
    if (sends != null) {
      sends.wakeThrough(wakeups);
    }
    if (receives != null) {
      receives.wakeThrough(wakeups);
    }
    transmitter = sends == null ? null : new LoopbackTransmitter(this, network, opening, sends);
    receiver = receives == null ? null : new LoopbackReceiver(this, opening, receives);
  }

  // The transport.

  @Override
  public SocketAddress4 name() {
    return name;
  }

  @Override
  public Transmitter transmitter() {
    return transmitter;
  }

  @Override
  public Receiver receiver() {
    return receiver;
  }

  @Override
  public void begin() {
    regions.join(this);
    registration = progress.register(this, opening);
  }

  @Override
  public void close() {
    network.leave(this);
    lock.lock();
    try {
      closed = true;
      if (transmitter != null) {
        transmitter.close();
      }
      if (receiver != null) {
        receiver.close();
      }
    } finally {
      unlock();
    }
    if (registration != null) {
      registration.close();
    }
    regions.leave(this);
    refuseAll();
  }

  /** Takes the lock of both halves; throws if the endpoint is closed. */
  void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw Misuse.invalid(this + " is closed: open a new one");
    }
  }

  void unlock() {
    wakeups.releaseAndWake();
  }

  /** Nothing touches memory without the lock, so that a thread which had it has ended that. */
  @Override
  public void awaitQuiet() {
    lock.lock();
    lock.unlock();
  }

  // Parcels.

  /** Returns the address as the receiver of a message looks it up in its vector. */
  MemorySegment packedName() {
    return packedName;
  }

  /** Returns whether a message need not wait for a receive, or to be refused. */
  boolean hasRoom() {
    return receiver != null && backlog.get() < ROOM;
  }

  /** Takes a parcel from another endpoint, whose lock the caller may hold. */
  void arrive(Parcel parcel) {
    if (parcel instanceof Message) {
      backlog.incrementAndGet();
    }
    inbox.add(parcel);
    if (closed) {
      // After the parcel was added: this thread or the one that closes finds it.
      refuseAll();
    } else {
      changed();
    }
  }

  private void changed() {
    PolledProgress.Registration polled = registration;
    if (polled != null) {
      polled.changed();
    }
  }

  /** Takes parcels from the inbox. */
  @Override
  public void poll() {
    lock.lock();
    try {
      if (transmitter != null) {
        transmitter.poll();
      }
      if (receiver != null) {
        receiver.poll();
      }
      for (int taken = 0; taken < BATCH && !closed; taken++) {
        Parcel next = inbox.poll();
        if (next == null) {
          return;
        }
        take(next);
      }
    } finally {
      unlock();
    }
    // There may be more.
    changed();
  }

  private void take(Parcel parcel) {
    switch (parcel) {
      case Message message when receiver != null -> receiver.arrived(message);
      case Access access -> access.from().arrive(access(access));
      case Answer answer -> transmitter.answered(answer);
      default -> refuse(parcel, "does not receive messages");
    }
  }

  /** A receive has taken a message, with the lock held. */
  void taken(Message message) {
    backlog.decrementAndGet();
    if (message.waiting() != null) {
      message.from().arrive(Answer.success(message.waiting()));
    }
  }

  private void refuseAll() {
    for (Parcel each = inbox.poll(); each != null; each = inbox.poll()) {
      refuse(each, "was closed");
    }
  }

  /** Has the operation fail that waits for the end of a parcel; others are lost. */
  void refuse(Parcel parcel, String reason) {
    switch (parcel) {
      case Message message when message.waiting() != null ->
          message
              .from()
              .arrive(Answer.failure(message.waiting(), Errno.ECONNREFUSED, name + " " + reason));
      case Access access ->
          access
              .from()
              .arrive(Answer.failure(access.request(), Errno.ECONNREFUSED, name + " " + reason));
      default -> {
        // Nothing waits for it.
      }
    }
  }

  // Memory.

  /** Reads or writes registered memory, of which everything is checked first. */
  private Answer access(Access access) {
    boolean reads = access.bytes() == null;
    RemotePlace[] places = access.places();
    RegisteredMemory[] found = new RegisteredMemory[places.length];
    for (int i = 0; i < places.length; i++) {
      found[i] = regions.find(places[i].key());
      String refusal = refusal(found[i], places[i], reads);
      if (refusal != null) {
        return Answer.failure(access.request(), Errno.EACCES, refusal);
      }
    }
    byte[] bytes;
    try {
      bytes = reads ? new byte[length(places)] : access.bytes();
      copy(found, places, MemorySegment.ofArray(bytes), reads);
    } catch (IllegalStateException | InternalError | OutOfMemoryError unusable) {
      // Memory that was freed without closing the region, a file that has become shorter, or too
      // little heap.
      return Answer.failure(access.request(), Errno.EFAULT, "memory of " + name + ": " + unusable);
    }
    if (access.hasData() && receiver != null) {
      receiver.written(bytes.length, access.data());
    } else {
      CounterFlag what = reads ? CounterFlag.REMOTE_READ : CounterFlag.REMOTE_WRITE;
      counters.succeeded(what, bytes.length);
      counters.count(what, false);
    }
    return reads ? Answer.success(access.request(), bytes) : Answer.success(access.request());
  }

  private String refusal(RegisteredMemory region, RemotePlace place, boolean reads) {
    FabricInfo info = opening.info();
    if (!info.has(reads ? Capability.REMOTE_READ : Capability.REMOTE_WRITE)) {
      return name + " does not let peers " + (reads ? "read" : "write");
    }
    if (region == null) {
      return "no memory is registered at " + name + " under the key";
    }
    String refusal =
        region.refusal(
            reads ? org.ofi4j.Access.REMOTE_READ : org.ofi4j.Access.REMOTE_WRITE,
            place.address(),
            place.length());
    return refusal == null ? null : region + " of " + name + " " + refusal;
  }

  /** Returns the length of all places, which is at most that of a message. */
  private static int length(RemotePlace[] places) {
    long sum = 0;
    for (RemotePlace place : places) {
      sum += place.length();
    }
    return (int) sum;
  }

  private static void copy(
      RegisteredMemory[] regions, RemotePlace[] places, MemorySegment bytes, boolean reads) {
    long at = 0;
    for (int i = 0; i < places.length; i++) {
      MemorySegment memory = regions[i].memory();
      long address = places[i].address();
      long length = places[i].length();
      if (reads) {
        MemorySegment.copy(memory, address, bytes, at, length);
      } else {
        MemorySegment.copy(bytes, at, memory, address, length);
      }
      at += length;
    }
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
