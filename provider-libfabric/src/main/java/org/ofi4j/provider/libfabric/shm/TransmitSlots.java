// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.libfabric.library.MappedMemory;
import org.ofi4j.provider.libfabric.library.MappedMemory.Range;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The operations of an {@code shm} endpoint with peers that are gone. libfabric waits for the peer
 * to say in the endpoint's region that it is done with an operation; a peer that is gone never
 * does. Up to 1.18 no later operation is reported then, and in all releases the place of the
 * operation is lost. This class says it in the peer's stead, with an error, so that libfabric ends
 * the operation by itself.
 *
 * <p>Regions have a version, and this class knows two: that of libfabric 1.17 and 1.18, and that of
 * 2.6 and 2.7. In other releases operations stay until the endpoint is closed.
 *
 * <p>Guarded by the lock of the domain, under which libfabric posts and reports too.
 *
 * <pre>
 *   region, version 4:   24 lock (4) | 28 signal (4) | 72 offset of the responses
 *                        | 96 offset of the peers, 272 bytes each: 264 state of a message in parts
 *   responses:           8 mask | 16 read | 24 written | 32 entries of 16: operation | status
 *   its operation:       20 protocol (2) | 256 index of the peer | 264 context
 *
 *   region, version 10:  144 offset of the commands | 152 offset of the returned ones
 *   commands:            0 offset of the first | 8 size of one | 16 how many | 26 first free (2)
 *                        | 28 next free of each (2)
 *   a command:           9 protocol (1) | 10 flags (1) | 48 operation
 *   its operation:       48 command | 168 context
 *   returned ones:       0 written | 64 read | 132 mask (4) | 192 entries of 64: turn | 16 command
 * </pre>
 */
public final class TransmitSlots {
  private static final int V4 = 4;
  private static final int V4_LOCK = 24;
  private static final int V4_SIGNAL = 28;
  private static final int V4_RESPONSES = 72;
  private static final int V4_PEERS = 96;
  private static final int V4_PEER = 272;
  private static final int V4_PARTS_STATE = 264;
  private static final int V4_ENTRIES = 32;
  private static final int V4_ENTRY = 16;
  private static final int V4_PROTOCOL = 20;
  private static final int V4_PEER_INDEX = 256;
  private static final int V4_CONTEXT = 264;
  private static final short V4_DIRECT_COPY = 2;
  private static final short V4_PARTS = 4;

  /** A response that waits for the peer: EBUSY, or one of two states of a message in parts. */
  private static final long V4_BUSY = 16;

  private static final long V4_PART_FREE = 1_025;
  private static final long V4_PART_READY = 1_026;

  private static final int V10 = 10;
  private static final int V10_COMMANDS = 144;
  private static final int V10_RETURNED = 152;
  private static final int V10_FREE = 26;
  private static final int V10_NEXT_FREE = 28;
  private static final int V10_PROTOCOL = 9;
  private static final int V10_FLAGS = 10;
  private static final int V10_OPERATION = 48;
  private static final int V10_COMMAND = 48;
  private static final int V10_CONTEXT = 168;
  private static final int V10_READ = 64;
  private static final int V10_MASK = 132;
  private static final int V10_ENTRIES = 192;
  private static final int V10_ENTRY = 64;
  private static final int V10_ENTRY_COMMAND = 16;
  private static final int V10_ERROR = 4;
  private static final int V10_DIRECT_COPY = 2;

  /** So many times the lock of a peer that is gone is found taken before it is given back. */
  private static final int PATIENCE = 5;

  private static final long GONE = -Errno.ECONNRESET.number();

  private final MappedMemory memory;
  private final Path file;
  private @Nullable Range region;
  private int locked;

  /**
   * The operations of an endpoint that is open.
   *
   * @param file that of its region
   */
  public TransmitSlots(Path file, MappedMemory memory) {
    this.file = file;
    this.memory = memory;
  }

  /**
   * Has libfabric report errors for what is posted to a peer that is gone, when its queue is read
   * next. Nothing happens to operations that libfabric has ended already.
   *
   * @param ofPeer whether a context is that of an operation for the peer
   * @param peer the file that the peer had
   */
  public void end(LongPredicate ofPeer, Path peer) {
    Range own = region;
    if (own == null) {
      own = memory.find(file);
      region = own;
    }
    if (own != null) {
      switch (RawMemory.getByte(own.start())) {
        case V4 -> endResponses(own.start(), ofPeer, peer);
        case V10 -> returnCommands(own.start(), ofPeer);
        default -> {}
      }
    }
  }

  private void endResponses(long start, LongPredicate ofPeer, Path peer) {
    long queue = start + RawMemory.getLong(start + V4_RESPONSES);
    long mask = RawMemory.getLong(queue + 8);
    long written = RawMemory.getLong(queue + 24);
    boolean some = false;
    for (long i = RawMemory.getLong(queue + 16); i != written; i++) {
      long entry = queue + V4_ENTRIES + V4_ENTRY * (i & mask);
      long operation = RawMemory.getLong(entry);
      long status = RawMemory.getLong(entry + Long.BYTES);
      boolean ours = ofPeer.test(RawMemory.getLong(operation + V4_CONTEXT));
      some |= ours;
      if (ours && (status == V4_BUSY || status == V4_PART_FREE || status == V4_PART_READY)) {
        if (RawMemory.getShort(operation + V4_PROTOCOL) == V4_PARTS) {
          // Nobody takes the next part. As another protocol it is ended at once.
          RawMemory.putShort(operation + V4_PROTOCOL, V4_DIRECT_COPY);
          long index = RawMemory.getLong(operation + V4_PEER_INDEX);
          long peers = start + RawMemory.getLong(start + V4_PEERS);
          RawMemory.putInt(peers + V4_PEER * index + V4_PARTS_STATE, 0);
        }
        RawMemory.putLong(entry + Long.BYTES, GONE);
      }
    }
    if (some) {
      unlock(peer);
      RawMemory.putInt(start + V4_SIGNAL, 1);
    }
  }

  /**
   * libfabric ends an operation with the lock of the peer's region. A process that was killed may
   * have left it taken.
   */
  private void unlock(Path peer) {
    Range range = memory.find(peer);
    if (range == null || RawMemory.getByte(range.start()) != V4) {
      return;
    }
    long lock = range.start() + V4_LOCK;
    if (memory.tryLock(lock) || ++locked >= PATIENCE) {
      memory.unlock(lock);
      locked = 0;
    }
  }

  private static void returnCommands(long start, LongPredicate ofPeer) {
    long queue = start + RawMemory.getLong(start + V10_RETURNED);
    if (RawMemory.getLongAcquire(queue) != RawMemory.getLong(queue + V10_READ)) {
      // Slots that peers have returned are read first, or they would be returned twice.
      return;
    }
    long commands = start + RawMemory.getLong(start + V10_COMMANDS);
    BitSet free = freeCommands(commands);
    long first = commands + RawMemory.getLong(commands);
    long size = RawMemory.getLong(commands + 8);
    int count = (int) RawMemory.getLong(commands + 16);
    for (int i = free.nextClearBit(0); i < count; i = free.nextClearBit(i + 1)) {
      long command = first + i * size;
      long operation = RawMemory.getLong(command + V10_OPERATION);
      if (RawMemory.getByte(command + V10_PROTOCOL) == V10_DIRECT_COPY
          && RawMemory.getLong(operation + V10_COMMAND) == command
          && ofPeer.test(RawMemory.getLong(operation + V10_CONTEXT))) {
        byte flags = RawMemory.getByte(command + V10_FLAGS);
        RawMemory.putByte(command + V10_FLAGS, (byte) (flags | V10_ERROR));
        giveBack(queue, command);
      }
    }
  }

  private static BitSet freeCommands(long commands) {
    int count = (int) RawMemory.getLong(commands + 16);
    BitSet free = new BitSet(count);
    int each = RawMemory.getShort(commands + V10_FREE);
    while (each >= 0 && each < count && !free.get(each)) {
      free.set(each);
      each = RawMemory.getShort(commands + V10_NEXT_FREE + (long) Short.BYTES * each);
    }
    return free;
  }

  /** Adds a command to a queue that peers add to as well. There is a place for each command. */
  private static void giveBack(long queue, long command) {
    long mask = RawMemory.getInt(queue + V10_MASK);
    while (true) {
      long place = RawMemory.getLongAcquire(queue);
      long entry = queue + V10_ENTRIES + V10_ENTRY * (place & mask);
      long behind = RawMemory.getLongAcquire(entry) - place;
      if (behind < 0) {
        return;
      }
      if (behind == 0 && RawMemory.compareAndSet(queue, place, place + 1)) {
        RawMemory.putLong(entry + V10_ENTRY_COMMAND, command);
        RawMemory.putLongRelease(entry, place + 1);
        return;
      }
    }
  }
}
