// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The mapped control file of a named vector: what it is like, which file has its entries now, who
 * writes, who is attached. All numbers are in the byte order of the machine.
 *
 * <pre>
 *     0  "OFI4J-AV" (8)
 *     8  version, 5 (4) | 0x01020304 (4)
 *    16  id of the vector, random (8)
 *    24  1 once everything else is there (4) | 0 (4)
 *    32  generation (8)     which data file holds the entries, from 1; 0 before the first
 *    40  writer (8)         the process that is changing entries: its process id (4) | its place
 *                           among the participants, plus 1 (4), negative after a change that
 *                           failed; 0 between changes
 *    48  changes (8)        grows with each hold of the writer's lock
 *    56  inode of this file (8), so that one knows whether its path still leads to it
 *    64  the domain's name: bytes of its UTF-8 (4) | CRC-32C of them (4) | the first of them (24)
 *    96  the vector's name (32), likewise
 *   128  {@link VectorTraits} (48)
 *   176  salt of the fingerprints of keys (32), random
 *   208  waiting (8)       process id of one that has waited for the writer's lock for long, or 0
 *   216  0
 *  4096  participant 0: process id (8) | when it attached, ms since 1970 (8)
 *        participants 1 to 1023; zeros: nobody, and nothing to clean up after
 * 20480  end
 *
 *   locks, beyond the end, of one byte each:
 *  2^40       guard: whoever attaches or leaves
 *  2^40 + 1   writer
 *  2^40 + 16 + i   participant i is alive; so it is if its {@link LivenessSocket} listens
 * </pre>
 */
final class ControlBlock {
  static final String SUFFIX = ".control";
  static final int PARTICIPANTS = 1024;
  static final long BYTES = 4096 + PARTICIPANTS * 16L;

  static final long GUARD = 1L << 40;
  static final long WRITER_LOCK = GUARD + 1;
  static final long ALIVE = GUARD + 16;

  private static final String KIND = "OFI4J-AV";
  private static final int VERSION = 5;
  private static final long READY = 24;
  private static final long GENERATION = 32;
  private static final long WRITER = 40;
  private static final long CHANGES = 48;
  private static final long INODE = 56;
  private static final long DOMAIN = 64;
  private static final long NAME = 96;
  private static final int MARK_BYTES = 32;
  private static final long SALT = 176;
  static final int SALT_BYTES = 32;
  private static final long WAITING = 208;
  private static final long FIRST_PARTICIPANT = 4096;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;

  ControlBlock(MemorySegment memory) {
    this.memory = memory;
  }

  /** Writes all but the generation and that it is ready; the memory is zeros. */
  void begin(long id, long inode, String domain, String name, byte[] salt, VectorTraits traits) {
    FileHeader.write(memory, KIND, VERSION);
    memory.set(JAVA_LONG, 16, id);
    memory.set(JAVA_LONG, INODE, inode);
    MemorySegment.copy(MemorySegment.ofArray(mark(domain)), 0, memory, DOMAIN, MARK_BYTES);
    MemorySegment.copy(MemorySegment.ofArray(mark(name)), 0, memory, NAME, MARK_BYTES);
    MemorySegment.copy(MemorySegment.ofArray(salt), 0, memory, SALT, SALT_BYTES);
    traits.write(memory);
  }

  void ready() {
    INT.setRelease(memory, READY, 1);
  }

  boolean isReady() {
    return (int) INT.getAcquire(memory, READY) == 1;
  }

  /**
   * Refuses what is not the control file of a certain vector.
   *
   * @throws FabricException with {@link Errno#EINVAL}; with {@link Errno#EIO} if it is damaged
   */
  void check(String file, String domain, String name) {
    checkHeader(file);
    checkText(file, DOMAIN, domain, "domain");
    checkText(file, NAME, name, "vector");
  }

  private void checkHeader(String file) {
    FileHeader.check(
        memory, KIND, VERSION, "control file " + file, "is not that of a named vector");
  }

  /** What is wrong in a file that may be damaged, as far as it shows without the names. */
  List<String> faults(Path file) {
    List<String> faults = new ArrayList<>();
    try {
      checkHeader(String.valueOf(file));
    } catch (FabricException bad) {
      faults.add(String.valueOf(bad.getMessage()));
    }
    if (memory.get(JAVA_INT, READY) != 1) {
      faults.add("control file " + file + " is not ready: " + memory.get(JAVA_INT, READY));
    }
    if (generation() <= 0) {
      faults.add("control file " + file + " has generation " + generation() + ", not from 1 on");
    }
    if (traits().mapAddress() == 0) {
      faults.add("control file " + file + " has map_addr 0");
    }
    for (int i = 0; i < PARTICIPANTS; i++) {
      if (participant(i) < 0 || (participant(i) == 0 && attachedAt(i) != 0)) {
        faults.add(
            "control file " + file + " has process " + participant(i) + " as participant " + i);
      }
    }
    return faults;
  }

  /**
   * What a file says of a name: its length, its sum, and how it begins. The path has all of it, so
   * that this shows by accident only: a file under another's path. A digest would take a provider
   * of security, for which the first vector of a JVM would have to wait.
   */
  private static byte[] mark(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, bytes.length);
    return ByteBuffer.allocate(MARK_BYTES)
        .order(ByteOrder.nativeOrder())
        .putInt(bytes.length)
        .putInt((int) sum.getValue())
        .put(bytes, 0, Math.min(bytes.length, MARK_BYTES - 2 * Integer.BYTES))
        .array();
  }

  private void checkText(String file, long offset, String text, String what) {
    byte[] mark = mark(text);
    for (int i = 0; i < mark.length; i++) {
      if (memory.get(JAVA_BYTE, offset + i) != mark[i]) {
        throw bad(file, "is not of " + what + " \"" + text + "\"");
      }
    }
  }

  private static FabricException bad(String file, String why) {
    return invalid("control file " + file + " " + why);
  }

  long id() {
    return memory.get(JAVA_LONG, 16);
  }

  byte[] salt() {
    return memory.asSlice(SALT, SALT_BYTES).toArray(JAVA_BYTE);
  }

  long inode() {
    return memory.get(JAVA_LONG, INODE);
  }

  VectorTraits traits() {
    return VectorTraits.read(memory);
  }

  long generation() {
    return (long) LONG.getAcquire(memory, GENERATION);
  }

  void generation(long generation) {
    LONG.setRelease(memory, GENERATION, generation);
  }

  /** Returns the word at 40: which participant changes entries, or died or failed at that. */
  long writer() {
    return (long) LONG.getAcquire(memory, WRITER);
  }

  /** Returns the word of a writer. */
  static long writer(long process, int place) {
    return (place + 1L) << Integer.SIZE | process;
  }

  /**
   * Returns the process id in the word of a writer, as it is in the PID namespace of the writer.
   */
  static long process(long writer) {
    return (int) writer;
  }

  /** Returns the place in the word of a writer; -1 for none, and after a change that failed. */
  static int place(long writer) {
    int place = (int) (writer >> Integer.SIZE) - 1;
    return place < 0 || place >= PARTICIPANTS ? -1 : place;
  }

  /**
   * Stores who begins a change, unless another process has stored itself since the word was read.
   *
   * @param left the word that was read
   * @return whether the word was still the one that was read
   */
  boolean beginChange(long left, long writer) {
    boolean begun = LONG.compareAndSet(memory, WRITER, left, writer);
    VarHandle.fullFence();
    return begun;
  }

  void endChange() {
    LONG.setRelease(memory, WRITER, 0L);
    VarHandle.fullFence();
  }

  /** Stores that the change of a writer failed, so that others repair it while the writer lives. */
  void failChange(long writer) {
    LONG.setRelease(memory, WRITER, -1L << Integer.SIZE | process(writer));
  }

  /** Who has waited for the writer's lock for long, or 0. It may have died since. */
  long waiting() {
    return (long) LONG.getAcquire(memory, WAITING);
  }

  void waiting(long process) {
    LONG.setRelease(memory, WAITING, process);
  }

  long changes() {
    return (long) LONG.getAcquire(memory, CHANGES);
  }

  void changes(long changes) {
    LONG.setRelease(memory, CHANGES, changes);
  }

  /** The process that has, or had, the place of a participant; 0 if none. */
  long participant(int place) {
    return (long) LONG.getAcquire(memory, participantOffset(place));
  }

  long attachedAt(int place) {
    return (long) LONG.getAcquire(memory, participantOffset(place) + 8);
  }

  static long participantOffset(int place) {
    return FIRST_PARTICIPANT + place * 16L;
  }
}
