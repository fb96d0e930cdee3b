// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.MappedMemory;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The commands in the region of a peer that the peer has not read, in libfabric 1.17. An endpoint
 * that is about to be closed withdraws its request to connect: a peer that reads the request of an
 * endpoint which is gone ends with SIGSEGV. An endpoint whose vector is full drops the requests
 * that it has got.
 *
 * <p>Senders add commands, and the peer reads them, with the lock of the region held. The peer also
 * holds the lock while it copies messages from the memory of senders.
 *
 * <pre>
 *   region:      24 lock (4) | 40 bytes of the region (8) | 48 commands that may be added (8)
 *                | 64 offset of the commands (8) | 80 offset of the buffers (8)
 *   commands:    8 mask | 16 read (8) | 24 written (8) | 32 entries of 256
 *   a request:   16 operation (4) | 24 length of the name (8) | 32 offset of the name (8)
 *   buffers:     0 offset of the first | 8 size of one | 24 how many are free (2)
 *                | 26 first free (2) | 28 next free of each (2)
 * </pre>
 */
final class UnreadCommands {
  private static final int LOCK = 24;
  private static final int BYTES = 40;
  private static final int SPACE = 48;
  private static final int COMMANDS = 64;
  private static final int BUFFERS = 80;
  private static final int MASK = 8;
  private static final int READ = 16;
  private static final int WRITTEN = 24;
  private static final int ENTRIES = 32;
  private static final int ENTRY = 256;
  private static final int OPERATION = 16;
  private static final int NAME_LENGTH = 24;
  private static final int NAME_OFFSET = 32;
  private static final int REQUEST = 256;
  private static final int READ_MEMORY = 2;
  private static final int WRITE_MEMORY = 4;
  private static final int ATOMIC = 6;
  private static final int LAST_ATOMIC = 8;
  private static final int LONGEST_NAME = 256;
  private static final int SIZE = 8;
  private static final int FREE = 24;
  private static final int FIRST_FREE = 26;
  private static final int NEXT_FREE = 28;

  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

  private UnreadCommands() {}

  /** Returns how many commands the peer has read; 0 if that cannot be read. */
  static long read(PeerFile peer) {
    return peer.read(peer.read(COMMANDS) + READ);
  }

  /** Returns how many commands were written to the region; 0 if that cannot be read. */
  static long written(PeerFile peer) {
    return peer.read(peer.read(COMMANDS) + WRITTEN);
  }

  /**
   * Removes the request of an endpoint, if it is there.
   *
   * @param name the packed address of the endpoint
   * @param deadline the {@link System#nanoTime} at which to give up
   */
  static void withdrawRequest(PeerFile peer, byte[] name, long deadline) {
    withLock(peer, region -> removeRequests(region, each -> Arrays.equals(each, name)), deadline);
  }

  /**
   * As {@link #withdrawRequest}, in the exit hook, without the lock of the domain.
   *
   * @return false if the request may still be there
   */
  static boolean withdrawAtExit(PeerFile peer, byte[] name, long deadline) {
    try (Arena arena = Arena.ofConfined()) {
      long region = PeerFile.map(peer.path(), arena);
      return region == 0
          || RawMemory.getByte(region) != SharedRegions.V4
          || withLock(
              region,
              start -> removeRequests(start, each -> Arrays.equals(each, name)),
              () -> System.nanoTime() - deadline > 0);
    }
  }

  /**
   * Waits until the peer has ended the copy that it has begun.
   *
   * @param deadline the {@link System#nanoTime} at which to give up
   */
  static void awaitCopy(PeerFile peer, long deadline) {
    withLock(peer, _ -> {}, deadline);
  }

  /** Does nothing if the peer is gone, or is stopped with the lock held until the deadline. */
  private static void withLock(PeerFile peer, LongConsumer use, long deadline) {
    try (Arena arena = Arena.ofConfined()) {
      long region = region(peer, arena);
      if (region != 0 && RawMemory.getByte(region) == SharedRegions.V4) {
        withLock(region, use, () -> peer.isEnded() || System.nanoTime() - deadline > 0);
      }
    }
  }

  private static boolean withLock(long region, LongConsumer use, BooleanSupplier givesUp) {
    while (!MappedMemory.tryLock(region + LOCK)) {
      if (givesUp.getAsBoolean()) {
        return false;
      }
      LockSupport.parkNanos(PAUSE);
    }
    try {
      use.accept(region);
      return true;
    } finally {
      MappedMemory.unlock(region + LOCK);
    }
  }

  /**
   * Returns the address of the region. That of an endpoint of this process stays where it is while
   * the vector of the other endpoint is open. That of another process may be unmapped by libfabric
   * at any time for another vector, so it is mapped once more.
   */
  private static long region(PeerFile peer, Arena arena) {
    long local = SharedRegions.address(peer.path());
    return local != 0 ? local : PeerFile.map(peer.present(), arena);
  }

  /**
   * Removes the requests in a region of this process that come from peers without a place.
   *
   * @param region the address of the region of an open endpoint
   * @param peers the peers that have a place
   */
  static void dropRequests(long region, PeerMap peers) {
    long commands = region + RawMemory.getLong(region + COMMANDS);
    if (RawMemory.getLong(commands + READ) != RawMemory.getLong(commands + WRITTEN)) {
      // libfabric waits for the lock next, without end.
      withLock(region, start -> removeRequests(start, each -> !peers.contains(each)), () -> false);
    }
  }

  private static void removeRequests(long region, Predicate<byte[]> removed) {
    long commands = region + RawMemory.getLong(region + COMMANDS);
    long written = RawMemory.getLong(commands + WRITTEN);
    long i = RawMemory.getLong(commands + READ);
    while (i < written) {
      long command = entry(commands, i);
      byte[] name = requester(region, command);
      if (name == null || !removed.test(name)) {
        i += entries(RawMemory.getInt(command + OPERATION));
        continue;
      }
      giveBuffer(region, RawMemory.getLong(command + NAME_OFFSET));
      for (long next = i + 1; next < written; next++) {
        RawMemory.copy(entry(commands, next), entry(commands, next - 1), ENTRY);
      }
      written--;
      RawMemory.putLong(commands + WRITTEN, written);
      RawMemory.putLong(region + SPACE, RawMemory.getLong(region + SPACE) + 1);
    }
  }

  private static long entry(long commands, long index) {
    return commands + ENTRIES + ENTRY * (index & RawMemory.getLong(commands + MASK));
  }

  /** Returns how many entries a command has: an access to memory has its places in a second. */
  private static int entries(int operation) {
    boolean accesses =
        operation == READ_MEMORY
            || operation == WRITE_MEMORY
            || (operation >= ATOMIC && operation <= LAST_ATOMIC);
    return accesses ? 2 : 1;
  }

  /** Returns the packed address of the endpoint that asks to connect; null if none does. */
  private static byte @Nullable [] requester(long region, long command) {
    long length = RawMemory.getLong(command + NAME_LENGTH);
    long offset = RawMemory.getLong(command + NAME_OFFSET);
    return RawMemory.getInt(command + OPERATION) == REQUEST
            && length > 0
            && length <= LONGEST_NAME
            && offset >= 0
            && offset <= RawMemory.getLong(region + BYTES) - length
        ? RawMemory.bytes(region + offset, length)
        : null;
  }

  private static void giveBuffer(long region, long offset) {
    long buffers = region + RawMemory.getLong(region + BUFFERS);
    long first = buffers + RawMemory.getLong(buffers);
    long index = (region + offset - first) / RawMemory.getLong(buffers + SIZE);
    short top = RawMemory.getShort(buffers + FIRST_FREE);
    RawMemory.putShort(buffers + NEXT_FREE + Short.BYTES * index, top);
    RawMemory.putShort(buffers + FIRST_FREE, (short) index);
    short free = RawMemory.getShort(buffers + FREE);
    RawMemory.putShort(buffers + FREE, (short) (free + 1));
  }
}
