// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The file of a {@link VectorFile}, opened by its path for each use, as interruptions close
 * channels. Somebody may remove it meanwhile, and the vector that is made then has its own file at
 * this path: nothing is done with that one.
 *
 * <p>For one thread at a time, but for {@link #full}.
 */
final class EntriesFile implements AutoCloseable {
  private static final int ZEROS = 64 << 10;

  private final Path path;
  private final long id;
  private final boolean writable;

  /** Whether the path has led to the file of this vector. */
  private boolean isKnown;

  /**
   * The open file, once its length was asked for: to ask costs no more than a call of the system.
   */
  private @Nullable RandomAccessFile length;

  /** Why the file did not become longer when it was to; null if it did. */
  private volatile @Nullable String full;

  EntriesFile(Path path, long id, boolean writable) {
    this.path = path;
    this.id = id;
    this.writable = writable;
  }

  /** From now on it has the id. */
  void markKnown() {
    isKnown = true;
  }

  /**
   * Does something with the open file; see {@link FileUse}.
   *
   * @throws FabricException with {@link Errno#EIO} if that fails, or there is another file by now
   */
  <T extends @Nullable Object> T use(FileUse<T> use) {
    Set<OpenOption> options =
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
            : Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    try {
      return FileUse.uninterrupted(
          path,
          options,
          channel -> {
            requireThis(channel);
            return use.of(channel);
          });
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "file " + path + " cannot be used: " + e, e);
    }
  }

  private void requireThis(FileChannel channel) throws IOException {
    ByteBuffer ids = ByteBuffer.allocate(VectorFile.ID_BYTES);
    // A file that was cut is told of by those who ask how long it is.
    boolean isRead = isKnown && channel.read(ids, VectorFile.ID) == VectorFile.ID_BYTES;
    if (isRead && !isThis(ids.flip())) {
      throw new FabricException(
          Errno.EIO,
          "file "
              + path
              + " was removed, and is another vector's now: close the vector everywhere");
    }
  }

  private boolean isThis(ByteBuffer ids) {
    ids.order(ByteOrder.nativeOrder());
    return ids.getLong() == id;
  }

  long size() {
    return use(FileChannel::size);
  }

  /** Whether the file has so many bytes; true also if it was removed, as what is mapped stays. */
  boolean hasBytes(long bytes) {
    try {
      RandomAccessFile file = length;
      if (file == null) {
        file = new RandomAccessFile(path.toFile(), "r");
        length = file;
        byte[] ids = new byte[VectorFile.ID_BYTES];
        file.seek(VectorFile.ID);
        if (file.read(ids) == ids.length && !isThis(ByteBuffer.wrap(ids))) {
          length = null;
          file.close();
          return true;
        }
      }
      return file.length() >= bytes;
    } catch (IOException removed) {
      return true;
    }
  }

  /**
   * Makes sure of the room for bytes behind the end.
   *
   * @throws OutOfMemoryError if there is none; then the file is as it was
   */
  void writeZeros(long from, long to) {
    IOException noRoom =
        use(channel -> {
          if (channel.size() < from) {
            throw new IOException("it has been cut to " + channel.size() + " bytes");
          }
          return writeZeros(channel, from, to);
        });
    full = noRoom == null ? null : full(to - from, path, noRoom);
    if (full != null) {
      throw new OutOfMemoryError(full);
    }
  }

  /** Writes zeros; answers why there was no room for them, or null. */
  private static @Nullable IOException writeZeros(FileChannel channel, long from, long to)
      throws IOException {
    try (Arena brief = Arena.ofConfined()) {
      ByteBuffer zeros = brief.allocate(ZEROS).asByteBuffer();
      for (long at = from; at < to; ) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), to - at));
        at += channel.write(zeros, at);
      }
      return null;
    } catch (ClosedByInterruptException again) {
      throw again;
    } catch (IOException noRoom) {
      // Nobody looks behind what is reserved.
      channel.truncate(from);
      return noRoom;
    }
  }

  static String full(long bytes, Path path, IOException noRoom) {
    return "the disk is full (ENOSPC): no room for %s bytes more of %s: %s"
        .formatted(bytes, path, noRoom.getMessage());
  }

  /** Whether a file could not be made because its file system has no room for one more. */
  static boolean isFull(IOException failed) {
    String reason = failed instanceof FileSystemException system ? system.getReason() : null;
    return reason != null
        && (reason.startsWith("No space left") || reason.endsWith("quota exceeded"));
  }

  /** Why the file system gave no memory, in words; null if the file became as long as asked. */
  @Nullable String full() {
    return full;
  }

  @Override
  public void close() {
    try {
      if (length != null) {
        length.close();
      }
    } catch (IOException e) {
      // Nothing was written through it.
      return;
    }
  }
}
