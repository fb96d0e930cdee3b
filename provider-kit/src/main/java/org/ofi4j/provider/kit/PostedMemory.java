// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions;

/** Checks of memory that an application posts or registers. */
public final class PostedMemory {
  /** Stands for a fingerprint that was not taken, or that could not be taken. */
  static final long UNKNOWN = 0;

  private PostedMemory() {}

  /**
   * Checks that the thread that is to move the data can use memory.
   *
   * @param memory the memory
   * @param name the name of the argument, for messages of errors
   * @param mover the thread of automatic progress; null for the calling thread
   * @return the memory
   * @throws FabricException with {@link Errno#EINVAL} if the memory is null, was freed, or is
   *     confined to another thread
   */
  public static MemorySegment usable(
      @Nullable MemorySegment memory, String name, @Nullable Thread mover) {
    MemorySegment given = required(memory, name);
    Thread thread = mover == null ? Thread.currentThread() : mover;
    String reason = refusal(given, thread);
    if (reason != null) {
      boolean confined = given.scope().isAlive() && mover != null;
      String advice = confined ? ", but automatic progress moves data with its own" : "";
      throw invalid(name + " " + reason + advice);
    }
    return given;
  }

  /**
   * Checks that a message can be written to memory.
   *
   * @param memory the memory
   * @param name the name of the argument, for messages of errors
   * @param mover the thread of automatic progress; null for the calling thread
   * @return the memory
   * @throws FabricException with {@link Errno#EINVAL} if the memory is null, was freed, is confined
   *     to another thread, or is read-only
   */
  public static MemorySegment writable(
      @Nullable MemorySegment memory, String name, @Nullable Thread mover) {
    MemorySegment given = usable(memory, name, mover);
    if (given.isReadOnly()) {
      throw invalid(name + " is read-only: a message is written to it");
    }
    return given;
  }

  /**
   * Checks that memory can be registered with the given options, see fi_mr(3).
   *
   * @param memory the memory
   * @param options the options of the region
   * @param mover the thread of automatic progress that is to use the memory; null for the calling
   *     thread
   * @return the memory
   * @throws FabricException with {@link Errno#EINVAL} if the memory cannot be used or is empty, or
   *     is read-only although peers may write; with {@link Errno#EKEYREJECTED} if the key is none
   */
  public static MemorySegment registrable(
      @Nullable MemorySegment memory, RegisterOptions options, @Nullable Thread mover) {
    MemorySegment given = usable(memory, "memory", mover);
    if (given.byteSize() == 0) {
      throw invalid("memory has no bytes: a region has at least one that peers can reach");
    }
    if (given.isReadOnly() && (options.access() & Access.REMOTE_WRITE.mask()) != 0) {
      throw invalid("memory is read-only: register it without access REMOTE_WRITE");
    }
    if (options.key().equals(OptionalLong.of(Handles.KEY_NOT_AVAILABLE))) {
      throw new FabricException(
          Errno.EKEYREJECTED, "key KEY_NOT_AVAILABLE stands for none: take another");
    }
    return given;
  }

  /**
   * Checks the length of a message.
   *
   * @param what the name of the message, for the error
   * @param length its number of bytes
   * @param limit the largest number of bytes
   * @throws FabricException with {@link Errno#EMSGSIZE} if the message is longer
   */
  public static void checkLength(String what, long length, long limit) {
    if (length > limit) {
      throw new FabricException(
          Errno.EMSGSIZE, what + " of " + length + " bytes: the most is " + limit);
    }
  }

  /**
   * Returns a number that shows whether memory was changed while a message in it waits: made of its
   * first, middle and last 8 bytes.
   *
   * @param memory the memory
   * @param from the offset of the first byte
   * @param bytes the number of bytes, at least 0
   * @return the number; {@link #UNKNOWN} if the memory cannot be read
   */
  static long fingerprint(MemorySegment memory, long from, long bytes) {
    try {
      long hash = bytes;
      long last = from + bytes - Long.BYTES;
      if (bytes < Long.BYTES) {
        for (long at = from; at < from + bytes; at++) {
          hash = mixed(hash, memory.get(ValueLayout.JAVA_BYTE, at));
        }
      } else {
        hash = mixed(hash, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, from));
        if (bytes > Long.BYTES) {
          hash = mixed(hash, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, (from + last) >>> 1));
          hash = mixed(hash, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, last));
        }
      }
      // Any number but UNKNOWN.
      return hash | 1;
    } catch (RuntimeException | InternalError unusable) {
      // The reason is reported when the message is read to be sent.
      return UNKNOWN;
    }
  }

  /**
   * Combines words, or the fingerprints of the parts of a message; changes all bits.
   *
   * @param hash the words so far
   * @param next the next one
   * @return both together
   */
  static long mixed(long hash, long next) {
    long product = (hash ^ next) * 0x9E37_79B9_7F4A_7C15L;
    return product ^ (product >>> 32);
  }

  /**
   * Returns the reason why a message must not be sent, if its memory was changed since it was
   * posted; otherwise null.
   *
   * @param memory the memory, or a part of it
   * @param posted the fingerprint when it was posted
   * @param now the fingerprint that it has now
   * @return the reason, or null
   */
  static @Nullable String changed(MemorySegment memory, long posted, long now) {
    return posted == now || posted == UNKNOWN || now == UNKNOWN
        ? null
        : "its memory was changed after the call that posted it ("
            + memory
            + "). Memory must stay as it is until the completion was read: use other memory for the"
            + " next message, or inject short messages";
  }

  /**
   * Returns the reason why a thread cannot use memory.
   *
   * @param memory the memory
   * @param thread the thread
   * @return the reason, a verb with its object; null if the thread can use the memory
   */
  public static @Nullable String refusal(MemorySegment memory, Thread thread) {
    if (!memory.scope().isAlive()) {
      return "has been freed";
    }
    return memory.isAccessibleBy(thread) ? null : "is confined to another thread than " + thread;
  }
}
