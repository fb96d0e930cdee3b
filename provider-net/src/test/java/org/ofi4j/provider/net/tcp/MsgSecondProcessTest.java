// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;

/** Endpoints with one peer in another process, which is killed in the middle of something. */
class MsgSecondProcessTest {
  private static final Duration A_WHILE = Duration.ofMillis(100);

  /** Listens or connects, and then answers each message with the same one. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      try (MsgSide side = new MsgSide(Progress.MANUAL)) {
        ConnectedEndpoint endpoint;
        if (arguments.length == 0) {
          PassiveEndpoint passive = side.listen();
          System.out.println(passive.address());
          endpoint = side.accept();
        } else {
          endpoint = side.endpoint();
          endpoint.connect(FabricAddress.parse(arguments[0]), "from afar".getBytes(UTF_8));
          System.out.println("asked");
          side.event(Event.Connected.class);
        }
        MemorySegment buffer = Rig.buffer(1 << 16);
        while (true) {
          endpoint.receive(buffer, "in");
          long length = side.success().length();
          endpoint.send(buffer.asSlice(0, length), 0, "out");
          side.success();
        }
      }
    }
  }

  /** A {@link Program} in a JVM of its own, which has said that it listens, or has asked. */
  private static EndpointProcess start(FabricAddress... listening) throws IOException {
    String[] names = Arrays.stream(listening).map(FabricAddress::toString).toArray(String[]::new);
    EndpointProcess process = new EndpointProcess(Program.class, names);
    if (listening.length == 0) {
      process.name();
    } else {
      assertThat(process.line()).isEqualTo("asked");
    }
    return process;
  }

  private static void echo(MsgSide side, ConnectedEndpoint endpoint, String text) throws Exception {
    MemorySegment buffer = Rig.buffer(100);
    endpoint.receive(buffer, "in");
    endpoint.inject(MsgSide.message(text), 0);
    assertThat(Rig.text(buffer, side.success().length())).isEqualTo(text);
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("The side that accepted is killed: what is posted fails, and the end is told once")
  void whoAcceptedIsKilled(Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress);
        EndpointProcess other = start()) {
      ConnectedEndpoint endpoint = side.endpoint();
      endpoint.connect(other.name());
      side.event(Event.Connected.class);
      echo(side, endpoint, "alive");
      endpoint.receiveTagged(Rig.buffer(8), TagPattern.exactly(1), "posted");
      // Nobody takes so much at once.
      endpoint.send(
          new SendRequest()
              .memory(Rig.buffer(64 << 20))
              .destination(0)
              .context("begun")
              .completes(CompletionLevel.DELIVERED));
      other.kill();
      for (int i = 0; i < 2; i++) {
        Completion.Failure failure = side.failure();
        assertThat(failure.errno())
            .isEqualTo("begun".equals(failure.context()) ? Errno.ECONNRESET : Errno.ECANCELED);
      }
      assertThat(side.event(Event.Shutdown.class).source()).isSameAs(endpoint);
      assertThat(side.isQuiet(A_WHILE)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("The side that connected is killed, and another one takes its place")
  void whoConnectedIsKilled(Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress)) {
      PassiveEndpoint passive = side.listen();
      for (int life = 0; life < 2; life++) {
        try (EndpointProcess other = start(passive.address())) {
          Event.ConnectionRequest request = side.event(Event.ConnectionRequest.class);
          assertThat(request.connectionData()).asString(UTF_8).isEqualTo("from afar");
          ConnectedEndpoint endpoint = side.endpoint(request.info());
          endpoint.accept();
          side.event(Event.Connected.class);
          echo(side, endpoint, "life " + life);
          endpoint.receive(Rig.buffer(8), "posted");
          other.kill();
          assertThat(side.failure().errno()).isEqualTo(Errno.ECANCELED);
          assertThat(side.event(Event.Shutdown.class).source()).isSameAs(endpoint);
        }
      }
      assertThat(side.isQuiet(A_WHILE)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Who is killed while it waits for an answer gets none, and holds nobody up")
  void whoWaitsIsKilled(Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress)) {
      PassiveEndpoint passive = side.listen(PassiveOptions.of(side.events).withBacklog(1));
      Event.ConnectionRequest orphan;
      try (EndpointProcess other = start(passive.address())) {
        orphan = side.event(Event.ConnectionRequest.class);
        assertThat(other.isAlive()).isTrue();
      }
      assertThat(side.isQuiet(A_WHILE)).isTrue();
      assertThatExceptionOfType(FabricException.class)
          .isThrownBy(() -> side.endpoint(orphan.info()))
          .satisfies(gone -> assertThat(gone.errno()).isEqualTo(Errno.ECONNABORTED));
      try (EndpointProcess other = start(passive.address())) {
        echo(side, side.accept(), "the next one");
        assertThat(other.isAlive()).isTrue();
      }
      side.event(Event.Shutdown.class);
    }
  }
}
