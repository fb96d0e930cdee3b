// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.object.Waiting;

/**
 * A listening Unix-domain socket that proves that a participant lives. The system drops a POSIX
 * lock when the process closes any descriptor of the file, for example after a backup agent in the
 * same JVM has read it. A socket cannot be opened as a file, so only the end of its process closes
 * it. A stopped process still listens. The path of the socket identifies the process, whatever its
 * number is in another PID namespace.
 *
 * <p>The socket accepts no connection: the result of connecting is the answer.
 *
 * <p>A thread of its own begins to listen. In the first use of a JVM, Java loads classes and a
 * provider of random numbers for sockets, which takes half as long as opening a vector; until then
 * the lock is the only proof.
 */
final class LivenessSocket implements AutoCloseable {
  static final String SUFFIX = ".alive";

  /** Longer paths do not fit into {@code sun_path}. */
  private static final int MAX_PATH_BYTES = 107;

  private final FutureTask<@Nullable ServerSocketChannel> listening;

  /**
   * Begins to listen at a path, in place of a socket that a dead process has left there. If the
   * process has no descriptor left, the path is too long, or its file system has no sockets, the
   * participant does not listen, and locks are the only proof.
   *
   * @throws IOException if what is at the path cannot be deleted
   */
  LivenessSocket(Path path) throws IOException {
    // Here, as the path may be that of another participant by the time that the thread runs.
    Files.deleteIfExists(path);
    this.listening = new FutureTask<>(() -> bind(path));
    Thread.ofPlatform().daemon().name("ofi4j-alive").start(listening);
  }

  private static @Nullable ServerSocketChannel bind(Path path) {
    if (!fits(path)) {
      return null;
    }
    try {
      ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        return channel.bind(UnixDomainSocketAddress.of(path), 1);
      } catch (Throwable failed) {
        channel.close();
        throw failed;
      }
    } catch (IOException | UnsupportedOperationException impossible) {
      return null;
    }
  }

  private static boolean fits(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_PATH_BYTES;
  }

  /**
   * Returns whether a process listens at a path. Does not wait, and is not interrupted.
   *
   * @throws IOException if this cannot be known, because the process has no descriptor left
   */
  static boolean isListening(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || !fits(path)) {
      return false;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      try {
        probe.connect(UnixDomainSocketAddress.of(path));
        return true;
      } catch (ConnectException refused) {
        return false;
      } catch (IOException failed) {
        // EAGAIN means that the queue of a listening socket is full, and ENOENT that the socket has
        // just been deleted. Java reports both in the words of the system alone.
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  /**
   * Stops listening; again does nothing. The file remains, as it may be that of another participant
   * by now.
   */
  @Override
  public void close() throws IOException {
    try {
      ServerSocketChannel channel = Waiting.uninterrupted(listening::get);
      if (channel != null) {
        channel.close();
      }
    } catch (ExecutionException failed) {
      // For example for lack of memory: there is no channel.
      return;
    }
  }
}
