// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * What the processes of a node keep beside the files of a named vector that they fill together.
 *
 * <pre>
 *   KEY.members      a frame: version (4), generation (8), base (8), the group's identity (UTF-8)
 *   KEY.members.N    frames of {@link TableFrame}: the members at the beginning of generation N,
 *                    then each change
 *
 *   a frame:  length of the body (4), CRC-32C of the body (4), the body
 * </pre>
 *
 * <p>Each process that inserts begins a generation. Before each change it takes the lock, and looks
 * whether the generation is its own still: one that was stopped for so long that another one took
 * its place changes nothing any more. What was told up to generation {@code base} was told to
 * processes that are all dead.
 *
 * <p>Locks are bytes behind the end: one for a change, and one that all who have the file open
 * share. POSIX ends all locks of a process when it closes the file once, so there is one object for
 * a file in a JVM.
 */
final class TableFile implements AutoCloseable {
  private static final Map<Path, TableFile> OPEN = new HashMap<>();

  /** The version of the file and its frames, which changes with any of them. */
  private static final int VERSION = 1;

  /** The bytes of a state before the group's identity. */
  private static final int STATE = Integer.BYTES + 2 * Long.BYTES;

  private static final long CHANGE = 1L << 40;
  private static final long USERS = CHANGE + 1;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration PATIENCE_OF_LAST = Duration.ofSeconds(1);
  private static final Set<OpenOption> OPTIONS =
      Set.of(
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.CREATE,
          LinkOption.NOFOLLOW_LINKS);

  private final Path path;
  private final FileChannel channel;

  /** Held as long as the file is open. */
  private final FileLock use;

  /** Guarded by {@link #OPEN}. */
  private int users;

  /** Of the generation that this process has begun last. */
  private @Nullable FileChannel journal;

  private TableFile(Path path, FileChannel channel, String group, Consumer<TableFile> check)
      throws IOException {
    this.path = path;
    this.channel = channel;
    FileLock all = channel.tryLock(USERS, 1, false);
    if (all != null) {
      all.release();
    }
    FileLock shared = channel.tryLock(USERS, 1, true);
    if (shared == null) {
      throw new IOException("a stranger has locked it");
    }
    use = shared;
    State found = state(channel);
    if (all == null) {
      requireGroup(found, group);
      return;
    }
    found(found, group);
    try {
      check.accept(this);
    } catch (RuntimeException refused) {
      removeIfUnused();
      throw refused;
    }
  }

  /** What the file says; the generation is negative once the file is removed. */
  record State(long generation, long base, String group) {}

  /**
   * Opens the file of a vector.
   *
   * @param path where it is
   * @param group the group that the vector is filled with
   * @param check looks at file and vector if nobody else has the file open; who opens it meanwhile
   *     waits. What it throws is thrown, and the file is removed
   * @throws FabricException with {@link Errno#EBUSY} if processes fill it with another group
   */
  static TableFile open(Path path, String group, Consumer<TableFile> check) {
    synchronized (OPEN) {
      try {
        TableFile file = OPEN.get(path);
        if (file == null) {
          file = openAnew(path, group, check);
          OPEN.put(path, file);
          ExitHook.use(true);
        } else {
          file.requireGroup(file.state(), group);
        }
        file.users++;
        return file;
      } catch (IOException failure) {
        throw unusable(path, failure);
      }
    }
  }

  private static TableFile openAnew(Path path, String group, Consumer<TableFile> check)
      throws IOException {
    long removed = 0;
    while (true) {
      FileChannel channel = openFile(path);
      TableFile file = null;
      try (FileLock _ = lock(channel)) {
        State state = state(channel);
        if (state == null || state.generation > 0 || state.generation == removed) {
          file = new TableFile(path, channel, group, check);
          return file;
        }
        // Somebody has just removed it, or died doing so: then it is the same one next time.
        removed = state.generation;
      } finally {
        if (file == null) {
          channel.close();
        }
      }
    }
  }

  private static FabricException unusable(Path path, IOException failure) {
    return new FabricException(Errno.EIO, "file " + path + " cannot be used: " + failure, failure);
  }

  private static FileChannel openFile(Path path) throws IOException {
    return FileChannel.open(
        path,
        OPTIONS,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  private static FileLock lock(FileChannel channel) throws IOException {
    Deadline deadline = Deadline.in(PATIENCE);
    while (true) {
      FileLock lock = channel.tryLock(CHANGE, 1, false);
      if (lock != null) {
        return lock;
      }
      if (deadline.left().isZero()) {
        throw new FabricException(
            Errno.EAGAIN, "a process of this node that fills the vector is stopped; end it");
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new FabricException(Errno.ECANCELED, "interrupted while waiting", interrupted);
    }
  }

  /** Nobody has it open: what was told before counts if it was of the same group. */
  private void found(@Nullable State found, String group) throws IOException {
    if (found != null && found.generation > 0 && found.group.equals(group)) {
      write(new State(found.generation, found.generation, group));
      return;
    }
    if (found != null) {
      Files.deleteIfExists(journal(Math.abs(found.generation)));
    }
    // Numbers that no other file has had.
    long generation = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE / 2);
    write(new State(generation, generation, group));
  }

  private void requireGroup(@Nullable State found, String group) {
    if (found == null || !found.group.equals(group)) {
      throw new FabricException(
          Errno.EBUSY,
          "processes of this node fill the vector with group "
              + (found == null ? "unknown" : found.group)
              + "; give that of group "
              + group
              + " another name");
    }
  }

  /** What it says now; null if somebody writes it just now. */
  @Nullable State state() throws IOException {
    return state(channel);
  }

  private static @Nullable State state(FileChannel channel) throws IOException {
    byte[] body = TableFrame.read(channel, 0);
    if (body == null) {
      return null;
    }
    ByteBuffer state = ByteBuffer.wrap(body);
    int version = body.length < STATE ? 0 : state.getInt();
    if (version != VERSION) {
      throw new FabricException(
          Errno.EINVAL,
          "the members of this node are in a file of version "
              + version
              + ", and this library reads version "
              + VERSION
              + ": end the processes that fill the vector with another release of ofi4j");
    }
    long generation = state.getLong();
    long base = state.getLong();
    return new State(
        generation, base, new String(body, STATE, body.length - STATE, StandardCharsets.UTF_8));
  }

  private void write(State state) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(body)) {
      out.writeInt(VERSION);
      out.writeLong(state.generation);
      out.writeLong(state.base);
      out.write(state.group.getBytes(StandardCharsets.UTF_8));
    }
    TableFrame.write(channel, 0, body.toByteArray());
  }

  /**
   * Does something while nobody else changes file or vector.
   *
   * @return whether it was done; if not, another process has the lock
   */
  synchronized boolean alone(Runnable change) {
    try (FileLock lock = channel.tryLock(CHANGE, 1, false)) {
      if (lock == null) {
        return false;
      }
      change.run();
      return true;
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  /** Begins the next generation with these members; for who is alone. */
  long begin(byte[] members) {
    try {
      State state = state(channel);
      if (state == null || state.generation < 0) {
        throw new IOException("it is damaged or removed");
      }
      closeJournal();
      long next = state.generation + 1;
      Files.deleteIfExists(journal(next));
      FileChannel file = openFile(journal(next));
      journal = file;
      TableFrame.write(file, 0, members);
      write(new State(next, state.base, state.group));
      Files.deleteIfExists(journal(state.generation));
      // One that died here has left the one before.
      Files.deleteIfExists(journal(state.generation - 1));
      return next;
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  /** Adds a change to the generation that this process has begun; for who is alone. */
  long append(byte[] change) {
    FileChannel file = journal;
    if (file == null) {
      throw new IllegalStateException("another process has begun the generation");
    }
    try {
      TableFrame.write(file, file.size(), change);
      return file.size();
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }

  private void closeJournal() throws IOException {
    if (journal != null) {
      journal.close();
      journal = null;
    }
  }

  /** What was told in a generation. */
  Path journal(long generation) {
    return path.resolveSibling(path.getFileName() + "." + generation);
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      if (--users > 0) {
        return;
      }
      OPEN.remove(path);
      ExitHook.use(!OPEN.isEmpty());
      try (FileChannel _ = channel) {
        closeJournal();
        leave();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  private void leave() {
    Deadline deadline = Deadline.in(PATIENCE_OF_LAST);
    // If two close at once, the later one removes it.
    while (!alone(this::removeIfUnused) && !deadline.left().isZero()) {
      pause();
    }
  }

  /** Removes the files that no other process has open. Nothing is closed: its threads go on. */
  static void leaveAll() {
    synchronized (OPEN) {
      for (TableFile each : OPEN.values()) {
        try {
          each.leave();
        } catch (FabricException left) {
          // It cannot be used any more. There are others.
        }
      }
    }
  }

  /** Whoever opens it meanwhile sees the negative generation. */
  private void removeIfUnused() {
    try {
      State state = state(channel);
      if (state != null && state.generation < 0) {
        return; // It is removed, and its path may be another one's.
      }
      use.release();
      if (state != null && channel.tryLock(USERS, 1, false) != null) {
        write(new State(-state.generation, state.base, state.group));
        Files.deleteIfExists(journal(state.generation));
        Files.deleteIfExists(path);
      }
    } catch (IOException failure) {
      throw unusable(path, failure);
    }
  }
}
