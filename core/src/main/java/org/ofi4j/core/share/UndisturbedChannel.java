// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.object.Waiting;

/**
 * An open file whose locks matter. A channel is closed by the interruption of a thread that reads,
 * writes or maps with it, and with it go all locks. So that is done by threads of its own that
 * nobody knows; taking locks without waiting is not affected, nor is asking for the length, for
 * which the file is open a second time: each change of a vector does that. The system ends all
 * locks of the process when either is closed, so they are closed together.
 */
final class UndisturbedChannel implements AutoCloseable {
  private final FileChannel channel;
  private final RandomAccessFile length;

  /**
   * Opens a file that is no link, to read and to write it.
   *
   * @throws NoSuchFileException if there is no file, or it is removed or replaced during the call
   */
  UndisturbedChannel(Path path) throws IOException {
    this.channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      this.length = open(path);
    } catch (Throwable failed) {
      channel.close();
      throw failed;
    }
  }

  /** {@link FileNotFoundException} names no cause: the second attempt to open the file does. */
  private static RandomAccessFile open(Path path) throws IOException {
    try {
      return new RandomAccessFile(path.toFile(), "r");
    } catch (FileNotFoundException refused) {
      FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS).close();
      throw new NoSuchFileException(String.valueOf(path), null, "it has just been replaced");
    }
  }

  long size() throws IOException {
    return length.length();
  }

  /** Maps the file from its beginning on. */
  MemorySegment map(MapMode mode, long bytes, Arena arena) throws IOException {
    return undisturbed(() -> channel.map(mode, 0, bytes, arena));
  }

  void write(long position, ByteBuffer bytes) throws IOException {
    undisturbed(() -> writeAll(position, bytes));
  }

  /** Writes all bytes of a buffer to the beginning of the file, which has no others then. */
  void replace(ByteBuffer bytes) throws IOException {
    undisturbed(() -> {
      channel.truncate(0);
      return writeAll(0, bytes);
    });
  }

  /** Locks bytes if nobody else has a lock of any of them; else answers null. */
  @Nullable FileLock tryLock(long position, long bytes) throws IOException {
    return channel.tryLock(position, bytes, false);
  }

  @Override
  public void close() throws IOException {
    try (length) {
      channel.close();
    }
  }

  private int writeAll(long position, ByteBuffer bytes) throws IOException {
    int count = bytes.remaining();
    long start = position - bytes.position();
    while (bytes.hasRemaining()) {
      channel.write(bytes, start + bytes.position());
    }
    return count;
  }

  private static <T> T undisturbed(Callable<T> use) throws IOException {
    FutureTask<T> task = new FutureTask<>(use);
    Thread thread = new Thread(task, "ofi4j-control");
    thread.setDaemon(true);
    thread.start();
    try {
      return Waiting.uninterrupted(task::get);
    } catch (ExecutionException failed) {
      throw new IOException("cannot be used: " + failed.getCause(), failed.getCause());
    }
  }
}
