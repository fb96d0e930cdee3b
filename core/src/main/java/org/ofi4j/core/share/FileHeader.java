// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The first bytes of each file: 8 characters that name its kind, then its version (4) and the
 * number 0x01020304 (4), which shows the byte order of the machine that wrote it. Control files and
 * saved ones have the traits of their vector at 128, which this room does not read.
 */
public final class FileHeader {
  /** The length of the traits of a vector. */
  public static final int TRAITS_BYTES = 48;

  private static final long TRAITS = 128;
  private static final int ORDER_MARK = 0x01020304;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private FileHeader() {}

  /** Writes a header. A process that finds its characters finds all that was stored before. */
  static void write(MemorySegment file, String kind, int version) {
    file.set(JAVA_INT, 8, version);
    file.set(JAVA_INT, 12, ORDER_MARK);
    LONG.setRelease(file, 0L, number(kind));
  }

  /**
   * Checks a header.
   *
   * @param name the name of the file, for messages
   * @param foreign the message about a file of another kind, without the name
   * @throws FabricException with {@link Errno#EINVAL} if the file is of another kind, version or
   *     machine; with {@link Errno#EIO} if the header is damaged
   */
  static void check(MemorySegment file, String kind, int version, String name, String foreign) {
    if ((long) LONG.getAcquire(file, 0L) != number(kind)) {
      throw invalid(name + " " + foreign);
    }
    int order = file.get(JAVA_INT, 12);
    if (order == Integer.reverseBytes(ORDER_MARK)) {
      throw invalid(
          name + " is of a machine with another byte order than " + ByteOrder.nativeOrder());
    }
    int found = file.get(JAVA_INT, 8);
    if (found != version) {
      String age = found > version ? "newer" : "older";
      throw invalid(
          name + " has version " + found + ", which is " + age + " than " + version + ", ours");
    }
    if (order != ORDER_MARK) {
      throw damaged(name, "its byte order mark is 0x%x".formatted(order));
    }
  }

  static void writeTraits(MemorySegment file, byte[] traits) {
    MemorySegment.copy(traits, 0, file, JAVA_BYTE, TRAITS, TRAITS_BYTES);
  }

  static byte[] traits(MemorySegment file) {
    return file.asSlice(TRAITS, TRAITS_BYTES).toArray(JAVA_BYTE);
  }

  static FabricException damaged(String name, String why) {
    return new FabricException(Errno.EIO, name + " is damaged: " + why);
  }

  /** Returns eight characters as the number that has them in memory, in any byte order. */
  private static long number(String kind) {
    byte[] bytes = kind.getBytes(StandardCharsets.US_ASCII);
    return MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
  }
}
