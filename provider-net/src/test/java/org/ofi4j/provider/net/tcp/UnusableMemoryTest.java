// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CounterFlag;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.net.CutFile;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Memory that becomes unusable while it is posted: its operation fails, and nothing else does. */
class UnusableMemoryTest {
  private static final int SIZE = 1 << 20;

  @TempDir private Path directory;

  private MemorySegment faulty(Arena arena, long usable) throws IOException {
    return CutFile.map(directory.resolve("mapped"), SIZE, usable, arena);
  }

  private static void assertFailed(
      Completion completion, @Nullable Object context, Errno expected) {
    assertThat(completion)
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> {
              assertThat(failure.context()).isEqualTo(context);
              assertThat(failure.errno()).isEqualTo(expected);
            });
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, TcpLimits.COPY_SIZE + 1, TcpLimits.PAGE_COPY_SIZE + 1, TcpLimits.WRITE_SIZE, SIZE})
  @DisplayName("A message of any length whose memory faults costs no other message, and no time")
  void faultySend(int length) throws Exception {
    try (Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = faulty(arena, 0).asSlice(0, length);
      long peer = from.insert(to);
      MemorySegment buffer = Rig.buffer(64);
      for (int i = 0; i < 3; i++) {
        from.endpoint().send(Rig.message("before"), peer, "before");
        from.endpoint().send(memory, peer, "faulty");
        from.endpoint().send(Rig.message("behind"), peer, "behind");
        // In the first round all of them wait for the connection, and go out together.
        for (String each : new String[] {"before", "behind"}) {
          to.endpoint().receive(buffer, null);
          Completion came = to.next(from);
          assertThat(came).isInstanceOf(Completion.Success.class);
          assertThat(Rig.text(buffer, ((Completion.Success) came).length())).isEqualTo(each);
        }
        int failures = 0;
        for (int j = 0; j < 3; j++) {
          Completion ended = from.next();
          if (ended instanceof Completion.Failure) {
            assertFailed(ended, "faulty", Errno.EFAULT);
            failures++;
          }
        }
        assertThat(failures).isEqualTo(1);
      }
    }
  }

  @Test
  @DisplayName(
      "An injected message that waits and cannot be copied fails, and never goes out later")
  void faultyInjection() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA);
    try (Rig from = Rig.reliable(hints);
        Rig to = Rig.reliable(hints);
        Arena arena = Arena.ofShared();
        MemoryRegion region = to.domain.register(Rig.buffer(8), Access.REMOTE_WRITE)) {
      MemorySegment memory = faulty(arena, 0).asSlice(0, 8);
      long peer = from.insert(to);
      from.endpoint().inject(memory, peer);
      from.endpoint().injectWrite(memory, peer, region.place());
      // The memory is whole again, and the application goes on with it.
      try (FileChannel file = FileChannel.open(directory.resolve("mapped"), WRITE)) {
        file.write(ByteBuffer.allocate(SIZE));
      }
      memory.fill((byte) 1);
      from.endpoint().send(Rig.message("behind"), peer, "behind");
      MemorySegment buffer = Rig.buffer(8);
      to.endpoint().receive(buffer, "received");
      assertThat(to.next(from).context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 6)).isEqualTo("behind");
      assertFailed(from.next(to), null, Errno.EFAULT);
      assertFailed(from.next(to), null, Errno.EFAULT);
      assertThat(from.next(to).context()).isEqualTo("behind");
      assertThat(region.memory().get(ValueLayout.JAVA_LONG, 0)).isZero();
    }
  }

  @Test
  @DisplayName("An injected message that was to be announced, and cannot be copied, fails once")
  void faultyAnnouncement() throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL);
    try (Rig from = Rig.reliable(hints, EarlyMessages.defaults().withAnnounced(0));
        Rig to = Rig.reliable(hints);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = faulty(arena, 0).asSlice(0, 8);
      long peer = from.insert(to);
      from.endpoint().injectTagged(new TaggedSendRequest().memory(memory).destination(peer).tag(7));
      assertFailed(from.next(to), null, Errno.EFAULT);
      MemorySegment buffer = Rig.buffer(8);
      to.endpoint().receiveTagged(buffer, TagPattern.any(), "received");
      from.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("behind"))
                  .destination(peer)
                  .tag(8)
                  .context("behind"));
      assertThat(to.next(from).context()).isEqualTo("received");
      assertThat(Rig.text(buffer, 6)).isEqualTo("behind");
      assertThat(from.next(to).context()).isEqualTo("behind");
      from.endpoint().close();
      assertThat(from.next(Duration.ZERO)).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, SIZE / 4})
  @DisplayName("A receive whose memory faults at once, or in the middle, costs its message alone")
  void faultyReceive(int usable) throws Exception {
    try (Rig from = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        Rig to = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = faulty(arena, usable);
      MemorySegment message = Rig.buffer(SIZE);
      long peer = from.insert(to);
      for (int i = 0; i < 3; i++) {
        to.endpoint().receive(memory, "faulty");
        to.endpoint().receive(Rig.buffer(64), "good");
        from.endpoint().send(message, peer, "lost");
        from.endpoint().send(Rig.message("found"), peer, "found");
        assertFailed(to.next(), "faulty", Errno.EFAULT);
        assertThat(to.next())
            .isInstanceOfSatisfying(
                Completion.Success.class,
                success -> assertThat(success.context()).isEqualTo("good"));
        for (int j = 0; j < 2; j++) {
          assertThat(from.next()).isInstanceOf(Completion.Success.class);
        }
      }
      assertThat(to.next(Duration.ZERO)).isNull();
    }
  }

  private static Rig secure(Progress progress, String owner) {
    return Rig.reliable(
        Rig.tcp("127.0.0.1", progress), Rig.PATIENCE, SecureConnectionsTest.of(owner));
  }

  /** Connections may be lost: sends until it is told that one has arrived. */
  private static void sendUntilDelivered(Rig from, Rig to, long peer) throws Exception {
    Completion sent = null;
    while (!(sent instanceof Completion.Success)) {
      from.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("next"))
                  .destination(peer)
                  .context("next")
                  .completes(CompletionLevel.DELIVERED));
      sent = from.next(to);
      assertThat(sent.context()).isEqualTo("next");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, TcpLimits.PAGE_COPY_SIZE + 1, SIZE})
  @DisplayName("With TLS a message whose memory faults may cost the connection, which comes again")
  void faultySecureSend(int length) throws Exception {
    try (Rig from = secure(Progress.MANUAL, "one");
        Rig to = secure(Progress.AUTO, "two");
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = faulty(arena, 0).asSlice(0, length);
      long peer = from.insert(to);
      for (int i = 0; i < 3; i++) {
        from.endpoint().send(memory, peer, "faulty");
        assertFailed(from.next(), "faulty", Errno.EFAULT);
        sendUntilDelivered(from, to, peer);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, SIZE / 4})
  @DisplayName("With TLS a receive whose memory faults may cost the connection, which comes again")
  void faultySecureReceive(int usable) throws Exception {
    try (Rig from = secure(Progress.AUTO, "one");
        Rig to = secure(Progress.MANUAL, "two");
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = faulty(arena, usable);
      MemorySegment message = Rig.buffer(SIZE);
      long peer = from.insert(to);
      to.endpoint().receive(memory, "faulty");
      from.endpoint().send(message, peer, "lost");
      assertFailed(to.next(), "faulty", Errno.EFAULT);
      assertThat(from.next(to).context()).isEqualTo("lost");
      sendUntilDelivered(from, to, peer);
    }
  }

  @Test
  @DisplayName("Memory that is freed while the kernel has no room costs its message alone")
  void freed() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run)) {
      ScriptedSocket socket = ScriptedSocket.connected();
      Connection connection = rig.connection(socket);
      TransmitContext context = new TransmitContext(new Completions(), 2);
      try (Arena arena = Arena.ofShared()) {
        Send large = Objects.requireNonNull(context.take(CounterFlag.SEND, false));
        large.memory.set(arena.allocate(2 * TcpLimits.COPY_SIZE + 1).asSlice(1));
        large.prepare();
        connection.writer().add(large);
        socket.room = 0;
        assertThat(connection.writer().write(socket)).isFalse();
        assertThat(connection.writer().isIdle()).isFalse();
      }
      Send other = Objects.requireNonNull(context.take(CounterFlag.SEND, false));
      other.memory.set(Rig.message("another"));
      other.prepare();
      connection.writer().add(other);
      socket.room = Integer.MAX_VALUE;
      connection.writer().write(socket);
      assertThat(connection.writer().isIdle()).isTrue();
      assertThat(socket.written.toString(UTF_8))
          .endsWith("another")
          .hasSizeLessThan(TcpLimits.COPY_SIZE);
    }
  }
}
