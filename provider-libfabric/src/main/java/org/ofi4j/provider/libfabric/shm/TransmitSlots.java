// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.ofi4j.Errno;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.MappedMemory;
import org.ofi4j.provider.libfabric.library.MappedMemory.Range;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The operations of an {@code shm} endpoint with peers that are gone. libfabric waits for the peer
 * to say in the endpoint's region that it is done with an operation; a peer that is gone never
 * does. Up to 1.18 no later operation is reported then, and in all releases the place of the
 * operation is lost. This class writes it instead of the peer, with an error, so that libfabric
 * ends the operation by itself.
 *
 * <p>This class knows the layouts of libfabric 1.17, of 1.18, and of 2.6 and 2.7. The version in a
 * region alone does not tell layouts apart: 1.17 and 1.18 have the same, and so have 2.5.1 and 2.6.
 * In other releases operations stay until the endpoint is closed.
 *
 * <p>Guarded by the lock of the domain, under which libfabric posts and reports too.
 *
 * <pre>
 *   region, version 4:   24 lock (4) | 28 signal (4)
 *     of 1.17:           | 72 offset of the responses | 96 offset of the peers
 *     of 1.18:           | 56 offset of the responses | 80 offset of the peers
 *   a peer:              264 state of a message in parts; 272 bytes
 *   responses:           8 mask | 16 read | 24 written | 32 entries of 16: operation | status
 *   its operation:       20 protocol (2) | 256 index of the peer | 264 context
 *
 *   region, version 10:  144 offset of the commands | 152 offset of the returned ones
 *   commands:            0 offset of the first | 8 size of one | 16 how many | 26 first free (2)
 *                        | 28 next free of each (2)
 *   a command:           9 protocol (1) | 10 flags (1) | 48 operation, or 0
 *                        | of a direct copy: 72 four pieces of memory of 16: address | bytes
 *   its operation:       48 command | 168 context
 *   returned ones:       0 written | 64 read | 132 mask (4) | 192 entries of 64: turn | 16 command
 * </pre>
 */
public final class TransmitSlots {
  private static final int V4_LOCK = 24;
  private static final int V4_SIGNAL = 28;
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
  private static final int V10_INJECTED = 1;
  private static final int V10_DIRECT_COPY = 2;
  private static final int V10_PARTS = 3;
  private static final int V10_PIECES = 72;
  private static final int V10_PIECE = 16;
  private static final int V10_MOST_PIECES = 4;

  /** So many times the lock of a peer that is gone is found taken before it is given back. */
  private static final int PATIENCE = 5;

  private static final long GONE = -Errno.ECONNRESET.number();

  private final Path file;

  /** The version of regions in this release; 0 if this class does not know their layout. */
  private final int version;

  // Offsets in regions of version 4.
  private final int responses;
  private final int peers;

  private int locked;

  /**
   * The operations of an endpoint that is open.
   *
   * @param file that of its region
   */
  public TransmitSlots(Path file, Libfabric library) {
    this.file = file;
    boolean has117 = library.isBefore(1, 18);
    responses = has117 ? 72 : 56;
    peers = has117 ? 96 : 80;
    if (library.isBefore(1, 19)) {
      version = SharedRegions.V4;
    } else {
      version = library.isBefore(2, 6) || !library.isBefore(2, 8) ? 0 : V10;
    }
  }

  /**
   * Has libfabric report errors for what is posted to a peer that is gone, when its queue is read
   * next. Nothing happens to operations that libfabric has ended already.
   *
   * @param ofPeer whether a context is that of an operation for the peer
   * @param peer the file that the peer had
   */
  public void end(LongPredicate ofPeer, Path peer) {
    long start = start();
    if (start != 0) {
      if (version == SharedRegions.V4) {
        endResponses(start, ofPeer, peer);
      } else {
        returnCommands(start, ofPeer);
      }
    }
  }

  /**
   * Makes copies fail that peers have not begun, from and to the memory of all operations. Does
   * nothing up to 1.18, where peers have copies of the addresses.
   */
  public void endCopies() {
    long start = version == V10 ? start() : 0;
    if (start == 0) {
      return;
    }
    long commands = start + RawMemory.getLong(start + V10_COMMANDS);
    eachCommand(
        commands,
        command -> {
          if (RawMemory.getByte(command + V10_PROTOCOL) == V10_DIRECT_COPY) {
            for (int i = 0; i < V10_MOST_PIECES; i++) {
              RawMemory.putLong(command + V10_PIECES + (long) V10_PIECE * i, 0);
            }
          }
        });
  }

  /** Returns the address of the region; 0 if this class does not know its layout. */
  private long start() {
    if (version == 0) {
      return 0;
    }
    long start = SharedRegions.address(file);
    return start != 0 && RawMemory.getByte(start) == version ? start : 0;
  }

  private void endResponses(long start, LongPredicate ofPeer, Path peer) {
    long queue = start + RawMemory.getLong(start + responses);
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
          // No peer takes the next part. As another protocol it is ended at once.
          RawMemory.putShort(operation + V4_PROTOCOL, V4_DIRECT_COPY);
          long index = RawMemory.getLong(operation + V4_PEER_INDEX);
          long first = start + RawMemory.getLong(start + peers);
          RawMemory.putInt(first + V4_PEER * index + V4_PARTS_STATE, 0);
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
   * have left it taken, and another process may have had it when the region was copied.
   */
  private void unlock(Path peer) {
    Range range = SharedRegions.find(peer);
    if (range == null || RawMemory.getByte(range.start()) != SharedRegions.V4) {
      return;
    }
    long lock = range.start() + V4_LOCK;
    if (MappedMemory.tryLock(lock) || ++locked >= PATIENCE) {
      MappedMemory.unlock(lock);
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
    eachCommand(
        commands,
        command -> {
          long operation = RawMemory.getLong(command + V10_OPERATION);
          byte protocol = RawMemory.getByte(command + V10_PROTOCOL);
          // With an error, libfabric also frees the buffers of a message in parts.
          if (protocol >= V10_INJECTED
              && protocol <= V10_PARTS
              && operation != 0
              && RawMemory.getLong(operation + V10_COMMAND) == command
              && ofPeer.test(RawMemory.getLong(operation + V10_CONTEXT))) {
            byte flags = RawMemory.getByte(command + V10_FLAGS);
            RawMemory.putByte(command + V10_FLAGS, (byte) (flags | V10_ERROR));
            giveBack(queue, command);
          }
        });
  }

  /** Passes the address of each command that is in use. */
  private static void eachCommand(long commands, LongConsumer use) {
    BitSet free = freeCommands(commands);
    long first = commands + RawMemory.getLong(commands);
    long size = RawMemory.getLong(commands + 8);
    int count = (int) RawMemory.getLong(commands + 16);
    for (int i = free.nextClearBit(0); i < count; i = free.nextClearBit(i + 1)) {
      use.accept(first + i * size);
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
