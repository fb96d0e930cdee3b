// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.core.object.Misuse.invalid;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.object.SystemRandom;
import org.ofi4j.core.object.Waiting;

/**
 * The open control file of a named vector: what the vector is like, which file has its entries now,
 * which process writes, which processes are attached, and the locks of its bytes. All numbers are
 * in the byte order of the machine.
 *
 * <pre>
 *     0  "OFI4J-AV" (8)
 *     8  version, 7 (4) | 0x01020304 (4)
 *    16  id of the vector, random (8)
 *    24  1 once everything else is there (4) | 0 (4)
 *    32  repairs (8)        how many writers have repaired what others had left
 *    40  writer (8)         the process that is changing entries: its process id (4) | its place
 *                           among the participants, plus 1 (4), negative after a change that
 *                           failed; 0 between changes
 *    48  changes (8)        grows with each hold of the writer's lock
 *    56  inode of this file (8), so that one knows whether its path still leads to it
 *    64  the domain's name: bytes of its UTF-8 (4) | CRC-32C of them (4) | the first of them (24)
 *    96  the vector's name (32), in the same form
 *   128  traits of the vector (48)
 *   176  salt of the fingerprints of keys (32), random
 *   208  waiting (8)       process id of one that has waited for the writer's lock for long, or 0
 *   216  0
 *  1024  participant 0: process id (8) | when it attached, ms since 1970 (8)
 *        participants 1 to 1023; zeros: none, and nothing to clean up after
 * 17408  0
 * 20472  -1 (8)             changes, or cannot be read, if the file is cut anywhere
 * 20480  end
 * </pre>
 *
 * <p>The locks of its bytes beyond the end are those of {@link VectorLocks}.
 *
 * <p>A channel is closed by the interruption of a thread that reads, writes or maps with it, and
 * with it all locks end. So threads that are unknown to callers do that. Taking locks without
 * waiting is not affected.
 */
final class ControlFile implements AutoCloseable {
  static final String SUFFIX = ".control";
  static final int PARTICIPANTS = 1024;
  static final long PARTICIPANT_BYTES = 16;
  static final long FIRST_PARTICIPANT = 1024;
  static final long BYTES = 20480;

  /** A question or an attempt with files, or a condition that is checked while a lock is held. */
  interface Question<T extends @Nullable Object> {
    T ask() throws IOException;
  }

  /** The id of this process, as {@link ProcessHandle#pid}. */
  static final long PROCESS = process();

  private static final String KIND = "OFI4J-AV";
  private static final int VERSION = 7;
  static final long ID = 16;
  private static final long READY = 24;
  private static final long REPAIRS = 32;
  static final long WRITER = 40;
  static final long CHANGES = 48;
  private static final long INODE = 56;
  private static final long DOMAIN = 64;
  private static final long NAME = 96;
  private static final int MARK_BYTES = 32;
  private static final long SALT = 176;
  private static final int SALT_BYTES = 32;
  static final long WAITING = 208;
  private static final long LAST_WORD = BYTES - Long.BYTES;

  /** The last word of a whole file: no byte of it is that of memory behind a cut. */
  private static final long WHOLE = -1;

  private static final VarHandle LONG = JAVA_LONG.varHandle();
  private static final VarHandle INT = JAVA_INT.varHandle();

  final Path path;

  /** No other file has this inode as long as this one is open. */
  final long inode;

  final long device;
  final FileChannel channel;

  private final Arena arena = Arena.ofShared();

  /** Empty until the file is mapped. */
  MemorySegment memory = MemorySegment.NULL;

  /**
   * Opens a file that is there and no link.
   *
   * @throws NoSuchFileException if there is no file, or it is removed or replaced during the call
   */
  ControlFile(Path path) throws IOException {
    this.path = path;
    this.inode = number("unix:ino");
    this.device = number("unix:dev");
    this.channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      // Before and after: so it is the inode of the open file.
      checkPath();
    } catch (Throwable replaced) {
      channel.close();
      throw replaced;
    }
  }

  /** Returns an exception after which callers try again. */
  NoSuchFileException gone(String why) {
    return new NoSuchFileException(path.toString(), null, why);
  }

  /**
   * Whether it was cut since it was mapped, or is not mapped. A change checks this before it reads
   * other bytes, as compiled code reports a fault later than where it happened. The last word is
   * lost with any other byte, and reading it needs no call of the system.
   */
  boolean isCut() {
    try {
      boolean isWhole = isMapped() && (long) LONG.getAcquire(memory, LAST_WORD) == WHOLE;
      MappedFaults.surface();
      return !isWhole;
    } catch (InternalError fault) {
      return true;
    }
  }

  /** Whether its path still leads to it. */
  boolean isAtItsPath() throws IOException {
    try {
      return number("unix:ino") == inode;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  /**
   * Checks that its path still leads to it; it may not if it was opened by a process that did not
   * have the guard.
   *
   * @throws NoSuchFileException if not
   */
  void checkPath() throws IOException {
    if (!isAtItsPath()) {
      throw gone("it has just been replaced");
    }
  }

  /** Returns the path of the file with the entries. */
  Path entries() {
    return path.resolveSibling(ShareDirectory.stem(path) + VectorFile.SUFFIX);
  }

  /**
   * Returns the path of the socket of a participant. The name is short, as paths of sockets are,
   * and no other control file has the inode.
   */
  Path socket(int participant) {
    return path.resolveSibling(sockets(String.valueOf(participant)));
  }

  /** Returns the sockets of participants, those of dead participants included. */
  List<Path> sockets() throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(path.resolveSibling(""), sockets("*"))) {
      List<Path> found = new ArrayList<>();
      files.forEach(found::add);
      return found;
    }
  }

  private String sockets(String participant) {
    return Long.toUnsignedString(inode) + "." + participant + LivenessSocket.SUFFIX;
  }

  private long number(String attribute) throws IOException {
    Object number = Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS);
    return number instanceof Long known ? known : 0;
  }

  /**
   * Returns the id of this process. If the system has it in a link, that is read: {@link
   * ProcessHandle} makes threads ready to wait for other processes first, and takes longer than a
   * vector to open.
   */
  private static long process() {
    try {
      return Long.parseLong(String.valueOf(Files.readSymbolicLink(Path.of("/proc/self"))));
    } catch (IOException | UnsupportedOperationException | NumberFormatException none) {
      return ProcessHandle.current().pid();
    }
  }

  // Bytes.

  boolean isMapped() {
    return memory.byteSize() != 0;
  }

  /** Maps it, unless it is mapped, or is too short. */
  void map() throws IOException {
    if (!isMapped()) {
      memory =
          undisturbed(() ->
              channel.size() < BYTES
                  ? MemorySegment.NULL
                  : channel.map(MapMode.READ_WRITE, 0, BYTES, arena));
    }
  }

  /**
   * Fills it with zeros before its last word, and maps it.
   *
   * @throws OutOfMemoryError if there is no room for it
   */
  void clear() throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate((int) BYTES).putLong((int) LAST_WORD, WHOLE);
    try {
      undisturbed(() -> {
        channel.truncate(0);
        while (zeros.hasRemaining()) {
          channel.write(zeros, zeros.position());
        }
        return zeros;
      });
    } catch (IOException full) {
      undisturbed(() -> channel.truncate(0));
      throw new OutOfMemoryError(VectorFile.full(BYTES, path, full));
    }
    map();
  }

  private static <T> T undisturbed(Callable<T> use) throws IOException {
    FutureTask<T> task = new FutureTask<>(use);
    Thread.ofPlatform().daemon().name("ofi4j-control").start(task);
    try {
      return Waiting.uninterrupted(task::get);
    } catch (ExecutionException failed) {
      throw new IOException("cannot be used: " + failed.getCause(), failed.getCause());
    }
  }

  /** Writes all but that it is ready; the memory is zeros. */
  void begin(String domain, String name, byte[] traits) {
    FileHeader.write(memory, KIND, VERSION);
    memory.set(JAVA_LONG, ID, SystemRandom.nextLong());
    memory.set(JAVA_LONG, INODE, inode);
    MemorySegment.copy(mark(domain), 0, memory, JAVA_BYTE, DOMAIN, MARK_BYTES);
    MemorySegment.copy(mark(name), 0, memory, JAVA_BYTE, NAME, MARK_BYTES);
    MemorySegment.copy(SystemRandom.bytes(SALT_BYTES), 0, memory, JAVA_BYTE, SALT, SALT_BYTES);
    FileHeader.writeTraits(memory, traits);
  }

  void ready() {
    INT.setRelease(memory, READY, 1);
  }

  boolean isReady() {
    return (int) INT.getAcquire(memory, READY) == 1;
  }

  /**
   * Refuses what is not the control file of a certain vector that is ready.
   *
   * @throws FabricException with {@link Errno#EINVAL}; with {@link Errno#EIO} if it is damaged
   */
  void check(String domain, String name) {
    if (!isMapped() || !isReady()) {
      throw damaged("says that it is not ready, but processes are attached to it");
    }
    checkHeader();
    checkText(DOMAIN, domain, "domain");
    checkText(NAME, name, "vector");
    long said = memory.get(JAVA_LONG, INODE);
    if (said != inode) {
      throw damaged("says that it is inode " + said + ", but is " + inode);
    }
  }

  private void checkHeader() {
    FileHeader.check(memory, KIND, VERSION, text(), "is not that of a named vector");
  }

  private String text() {
    return "control file " + path;
  }

  FabricException damaged(String why) {
    return FileHeader.damaged(text(), "it " + why);
  }

  /** The faults of a file that may be damaged, as far as they show without the names. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    try {
      checkHeader();
    } catch (FabricException bad) {
      faults.add(String.valueOf(bad.getMessage()));
    }
    if (!isReady()) {
      faults.add(text() + " is not ready: " + memory.get(JAVA_INT, READY));
    }
    if (isCut()) {
      faults.add(text() + " was cut: its last word is not " + WHOLE);
    }
    if (repairs() < 0) {
      faults.add(text() + " has " + repairs() + " repairs");
    }
    for (int i = 0; i < PARTICIPANTS; i++) {
      if (participant(i) < 0
          || (participant(i) == 0
              && memory.get(JAVA_LONG, participantOffset(i) + Long.BYTES) != 0)) {
        faults.add(text() + " has process " + participant(i) + " as participant " + i);
      }
    }
    return faults;
  }

  /**
   * The mark of a name in a file: its length, its sum, and how it begins. The path has all of it,
   * so that this shows by accident only: a file under another's path. A digest would take a
   * provider of security, for which the first vector of a JVM would have to wait.
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

  private void checkText(long offset, String text, String what) {
    if (memory.asSlice(offset, MARK_BYTES).mismatch(MemorySegment.ofArray(mark(text))) >= 0) {
      throw invalid(text() + " is not of " + what + " \"" + text + "\"");
    }
  }

  long id() {
    return memory.get(JAVA_LONG, ID);
  }

  byte[] salt() {
    return memory.asSlice(SALT, SALT_BYTES).toArray(JAVA_BYTE);
  }

  byte[] traits() {
    return FileHeader.traits(memory);
  }

  long repairs() {
    return (long) LONG.getAcquire(memory, REPAIRS);
  }

  /** Counts a repair. */
  void addRepair() {
    LONG.setRelease(memory, REPAIRS, repairs() + 1);
  }

  /** The process that has, or had, the place of a participant; 0 if none. */
  long participant(int place) {
    return (long) LONG.getAcquire(memory, participantOffset(place));
  }

  /** Gives a place to a process, or makes it free. */
  void participant(int place, long process, long time) {
    // A place without a process has no time, also if this process dies between these stores.
    long offset = participantOffset(place);
    LONG.setRelease(memory, offset + Long.BYTES, 0L);
    LONG.setRelease(memory, offset, process);
    LONG.setRelease(memory, offset + Long.BYTES, time);
  }

  private static long participantOffset(int place) {
    return FIRST_PARTICIPANT + place * PARTICIPANT_BYTES;
  }

  /** Unmaps and closes it, which ends all locks of this process. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      // It is gone for us all the same.
      return;
    }
  }
}
