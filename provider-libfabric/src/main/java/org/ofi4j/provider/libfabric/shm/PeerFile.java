// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.SharedFiles;
import org.ofi4j.provider.libfabric.library.SharedFiles.FileStatus;

/**
 * The file of a peer of provider {@code shm}, and whether the peer is there. libfabric must not be
 * asked: releases before 2.0 give all peers that are not there the same handle, and no release
 * notices that a peer is gone.
 *
 * <p>A peer is gone when its file is deleted, as closing an endpoint does, or when its process has
 * ended. A peer of ofi4j has its file locked as long as libfabric may use it: see {@link
 * EndpointFile}. Its file may be deleted before, for example while its process ends; then nothing
 * is sent to the peer, but it may still answer earlier operations. One of C has no lock. Its
 * process is known by the number in the name of the file, if the process with that number has the
 * file mapped where the file says that it was made: in another namespace of processes the number is
 * that of another process or of none. Then only the deletion of the file is noticed.
 *
 * <p>Guarded by the lock of the domain.
 */
public final class PeerFile implements AutoCloseable {
  private static final String SEPARATOR = "://";

  /** Between looks for a peer that is not there. */
  private static final long LOOK_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  /** Between looks for one that was there. */
  private static final long WATCH_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  /** The bytes of a region that contain, as one word, the address where its process has it. */
  private static final int HEADER = 256;

  private final FileStatus status;
  private final Path path;
  private final MemorySegment text;

  /** Whether the name is one that ofi4j has chosen. */
  private final boolean generated;

  private long nextLook = System.nanoTime();
  private int closings;
  private boolean met;

  /** Whether its file has been deleted or replaced, or nothing uses the file any more. */
  private boolean gone;

  /** Whether nothing uses the file any more, as far as that is noticed. */
  private boolean ended;

  /** The number of the file when the peer was last there. */
  private long inode;

  /** Whether its process has the file locked. */
  private boolean locked;

  /** Of the file, to ask for its lock; negative if there was no descriptor. */
  private int descriptor = -1;

  /** The process of a peer that locks nothing; null if that is not known. */
  private @Nullable ProcessHandle process;

  /** The file of a peer that nothing is known of yet. */
  public PeerFile(Path path) {
    this.path = path;
    status = new FileStatus();
    generated = OwnNames.isGenerated(path);
    text = Arena.ofAuto().allocateFrom(path.toString());
  }

  /** The file that a packed address names, text with its zero byte; null if it names none. */
  public static @Nullable Path of(byte[] address) {
    String text = new String(address, 0, address.length - 1, StandardCharsets.UTF_8);
    int separator = text.indexOf(SEPARATOR);
    String name = separator < 0 ? text : text.substring(separator + SEPARATOR.length());
    return name.isEmpty() || name.contains("/") ? null : SharedFiles.DIRECTORY.resolve(name);
  }

  public Path path() {
    return path;
  }

  /** Whether the peer was there when it was last looked for, which is done once in a while. */
  public boolean isThere() {
    if (met && !ended) {
      watch();
    }
    if (!met || ended) {
      look();
    }
    return met && !gone;
  }

  /** Whether the peer was there, and is not any more. */
  public boolean isGone() {
    return met && !isThere();
  }

  /** As {@link #isGone}, without the pause since the last check. */
  public boolean isGoneNow() {
    nextLook = System.nanoTime();
    return isGone();
  }

  /** Whether the peer was there, and does not answer operations any more. */
  public boolean isEnded() {
    return isGone() && ended;
  }

  private void watch() {
    int now = SharedRegions.closings();
    long time = System.nanoTime();
    if (now == closings && time - nextLook < 0) {
      return;
    }
    closings = now;
    nextLook = time + WATCH_PAUSE;
    boolean deleted = !status.read(text.address()) || status.inode() != inode;
    if (locked) {
      ended =
          descriptor < 0
              ? deleted || !SharedFiles.isLocked(text.address())
              : !SharedFiles.isHeld(descriptor);
    } else {
      ProcessHandle present = process;
      ended = deleted || (present != null && !present.isAlive());
    }
    gone = deleted || ended;
    if (ended) {
      close();
      // Another process may have the address already.
      nextLook = time;
    }
  }

  private void look() {
    long time = System.nanoTime();
    if (time - nextLook < 0) {
      return;
    }
    nextLook = time + LOOK_PAUSE;
    // An endpoint of C that is being opened has an empty file; one of a killed process stays.
    if (!status.read(text.address())
        || !status.isRegular()
        || status.bytes() == 0
        || (gone && status.inode() == inode)) {
      return;
    }
    boolean marked = status.isMarked();
    boolean held = SharedFiles.isLocked(text.address());
    // One of ofi4j that is being opened is not marked yet; one of a killed process has no lock.
    boolean ours = marked || generated;
    if ((ours ? (marked && held) : !held) && isInitialized()) {
      if (SharedRegions.isClosed(path)) {
        // No name is used again in a process: its endpoint is being opened or closed.
        return;
      }
      met = true;
      gone = false;
      ended = false;
      inode = status.inode();
      locked = marked;
      descriptor = marked ? SharedFiles.openToWatch(text.address()) : -1;
      process = marked ? null : owner();
      nextLook = time + WATCH_PAUSE;
    }
  }

  /**
   * Returns whether the process number is there, which 1.17 writes last. libfabric would give a
   * peer without it a place that the next peer gets, too.
   */
  private boolean isInitialized() {
    try {
      ByteBuffer header = header();
      return header.limit() == HEADER
          && header.get(0) != 0
          && (header.get(0) != SharedRegions.V4 || header.getInt(SharedRegions.V4_PROCESS) != 0);
    } catch (IOException gone) {
      return false;
    }
  }

  /** Returns a long of the file; 0 if the file cannot be read. */
  long read(long offset) {
    ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    try (FileChannel channel = FileChannel.open(present())) {
      return channel.read(word, offset) == Long.BYTES ? word.getLong(0) : 0;
    } catch (IOException gone) {
      return 0;
    }
  }

  /**
   * Returns the address at which a path of the file is mapped now; 0 if it cannot be mapped. Any
   * thread may call.
   */
  static long map(Path file, Arena arena) {
    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      long bytes = channel.size();
      return bytes < HEADER ? 0 : channel.map(MapMode.READ_WRITE, 0, bytes, arena).address();
    } catch (IOException | OutOfMemoryError unmapped) {
      return 0;
    }
  }

  /** Returns a path of the file, which may have been deleted if a descriptor of it is open. */
  Path present() {
    return descriptor < 0 ? path : SharedFiles.path(descriptor);
  }

  /** Closes the descriptor of the file, if it has one. The peer may be looked for again. */
  @Override
  public void close() {
    if (descriptor >= 0) {
      SharedFiles.close(descriptor);
      descriptor = -1;
    }
  }

  /** Returns the process that has made the file; null if that is not sure. */
  private @Nullable ProcessHandle owner() {
    String name = path.getFileName().toString();
    int digits = 0;
    while (digits < name.length() && Character.isDigit(name.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > 9) {
      return null;
    }
    long number = Long.parseLong(name.substring(0, digits));
    // Before its mappings are read: a later process of that number is another one.
    ProcessHandle named = ProcessHandle.of(number).orElse(null);
    if (named == null) {
      return null;
    }
    try (Stream<String> mappings = Files.lines(Path.of("/proc", Long.toString(number), "maps"))) {
      ByteBuffer header = header();
      return mappings.anyMatch(line -> line.endsWith(" " + path) && isBase(line, header))
          ? named
          : null;
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }

  private ByteBuffer header() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.nativeOrder());
    try (FileChannel channel = FileChannel.open(path)) {
      channel.read(header, 0);
    }
    return header.flip();
  }

  /** Returns whether a region was made where a line has it: {@code 7f00-7f80 rw-s ...}. */
  private static boolean isBase(String line, ByteBuffer header) {
    long start = Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16);
    for (int at = 0; at + Long.BYTES <= header.limit(); at += Long.BYTES) {
      if (header.getLong(at) == start) {
        return true;
      }
    }
    return false;
  }
}
