// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.NativeRegion;

/**
 * Memory between applications and a fabric: messages are copied through it, so that a fabric never
 * touches memory that an application may free meanwhile. Registered where the fabric demands that.
 *
 * <p>Buffers have sizes of powers of two. Small ones are cut from slabs, which stay; a large one is
 * an allocation of its own, and is given back if more than {@value #KEPT_BYTES} bytes are idle.
 * Whoever calls holds the lock of the domain.
 */
public final class MessageBuffers implements AutoCloseable {
  /** A piece of memory of one size. */
  public static final class Buffer {
    /** Where it is. */
    public final long address;

    /** What operations bring along with it. */
    public final long descriptor;

    private final int sizeClass;
    private final @Nullable Slab own;
    private @Nullable Buffer next;

    private Buffer(long address, long descriptor, int sizeClass, @Nullable Slab own) {
      this.address = address;
      this.descriptor = descriptor;
      this.sizeClass = sizeClass;
      this.own = own;
    }

    /** Bytes that it holds. */
    public long size() {
      return 1L << sizeClass;
    }
  }

  /** Memory that is allocated and registered as a whole. */
  private record Slab(Arena arena, @Nullable NativeRegion registration) {
    long descriptor() {
      return registration == null ? 0 : registration.descriptor();
    }

    void close() {
      if (registration != null) {
        registration.close();
      }
      arena.close();
    }
  }

  private static final int SMALLEST = 6;
  private static final int LARGEST = 40;
  private static final int LARGEST_SMALL = 16;
  private static final long SLAB = 1 << 18;
  private static final long PAGE = 4_096;
  private static final long KEPT_BYTES = 1 << 26;

  private final Function<MemorySegment, @Nullable NativeRegion> registrar;
  private final List<Slab> slabs = new ArrayList<>();
  private final @Nullable Buffer[] idle = new @Nullable Buffer[LARGEST + 1];
  private long idleBytes;
  private boolean closed;

  /**
   * Holds nothing yet.
   *
   * @param registrar registers memory for messages; null stands for memory that need not be
   */
  public MessageBuffers(Function<MemorySegment, @Nullable NativeRegion> registrar) {
    this.registrar = registrar;
  }

  /**
   * Takes a buffer.
   *
   * @param bytes at least 0
   * @throws FabricException with {@link Errno#ENOMEM} if there is no memory for it
   */
  public Buffer take(long bytes) {
    int sizeClass =
        bytes <= 1L << SMALLEST ? SMALLEST : Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
    if (sizeClass > LARGEST) {
      throw exhausted(bytes);
    }
    Buffer first = idle[sizeClass];
    if (first == null) {
      first = allocate(sizeClass);
    }
    idle[sizeClass] = first.next;
    first.next = null;
    if (first.own != null) {
      idleBytes -= first.size();
    }
    return first;
  }

  /** Gives a buffer back that nobody uses any more. */
  public void giveBack(Buffer buffer) {
    Slab own = buffer.own;
    if (closed) {
      return;
    }
    if (own != null && idleBytes + buffer.size() > KEPT_BYTES) {
      slabs.remove(own);
      own.close();
    } else {
      keep(buffer);
    }
  }

  private void keep(Buffer buffer) {
    if (buffer.own != null) {
      idleBytes += buffer.size();
    }
    buffer.next = idle[buffer.sizeClass];
    idle[buffer.sizeClass] = buffer;
  }

  /** Allocates buffers of a size, and returns the first of them, all of which are idle. */
  private Buffer allocate(int sizeClass) {
    boolean small = sizeClass <= LARGEST_SMALL;
    long size = 1L << sizeClass;
    long bytes = small ? SLAB : size;
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = arena.allocate(bytes, PAGE);
      Slab slab = new Slab(arena, registrar.apply(memory));
      slabs.add(slab);
      Buffer last;
      long offset = 0;
      do {
        last =
            new Buffer(
                memory.address() + offset, slab.descriptor(), sizeClass, small ? null : slab);
        keep(last);
        offset += size;
      } while (offset < bytes);
      return last;
    } catch (OutOfMemoryError none) {
      arena.close();
      throw exhausted(bytes);
    } catch (FabricException refused) {
      arena.close();
      throw refused;
    }
  }

  private static FabricException exhausted(long bytes) {
    return new FabricException(
        Errno.ENOMEM, "no memory outside the heap for a message of " + bytes + " bytes");
  }

  /** Frees all; nothing is in use any more. */
  @Override
  public void close() {
    closed = true;
    slabs.forEach(Slab::close);
    slabs.clear();
  }
}
