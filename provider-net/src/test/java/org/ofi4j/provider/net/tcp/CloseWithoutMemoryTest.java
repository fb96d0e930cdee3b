// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.NetDomain;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.transfer.FrameReader;

/** An endpoint ends even if there is no memory to end it in good order. */
class CloseWithoutMemoryTest {
  private static final int CONNECTIONS = 5;

  /** Closes an endpoint with connections when no memory outside the heap is left. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      List<RawPeer> peers = new ArrayList<>();
      List<Socket> sockets = new ArrayList<>();
      try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.valueOf(arguments[0])))) {
        FabricAddress name = rig.name();
        for (int i = 0; i < CONNECTIONS; i++) {
          RawPeer peer = new RawPeer();
          peers.add(peer);
          Socket socket = RawPeer.connect(name);
          socket.getOutputStream().write(peer.request(1));
          rig.endpoint().receive(Rig.buffer(10), "received");
          socket.getOutputStream().write(peer.frame("hello"));
          rig.next();
          sockets.add(socket);
        }
        awaitNobodyReads();
        List<Staging> all =
            takeAll(((NetDomain) ((KitDomain) rig.domain).transport()).resources().staging());

        FabricException trouble =
            catchThrowableOfType(FabricException.class, rig.endpoint()::close);
        assertThat(trouble.errno()).isEqualTo(Errno.ENOMEM);
        assertThat(trouble.getSuppressed())
            .isNotEmpty()
            .allSatisfy(each -> assertThat(each).hasMessageContaining("MaxDirectMemorySize"));
        assertThat(rig.endpoint().isOpen()).isFalse();
        rig.endpoint().close();
        for (Socket socket : sockets) {
          assertThat(RawPeer.isClosed(socket)).isTrue();
        }
        assertThatThrownBy(() -> RawPeer.connect(name)).hasMessageContaining("refused");
        assertThat(all).isNotEmpty();
      }
      for (RawPeer peer : peers) {
        peer.close();
      }
      System.out.println("all is closed");
    }

    /** A thread that still reads would give its buffer back, which the closing then finds. */
    private static void awaitNobodyReads() {
      await()
          .forever()
          .until(() ->
              Thread.getAllStackTraces().values().stream()
                  .flatMap(Arrays::stream)
                  .noneMatch(frame -> frame.getClassName().equals(FrameReader.class.getName())));
    }

    private static List<Staging> takeAll(Staging.Pool pool) {
      List<Staging> taken = new ArrayList<>();
      while (true) {
        try {
          taken.add(pool.borrow());
        } catch (FabricException none) {
          return taken;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("close() without memory ends everything, says what went wrong, and frees the port")
  void everythingEnds(Progress progress) throws Exception {
    Process process =
        EndpointProcess.builder(
                Program.class, List.of("-XX:MaxDirectMemorySize=2m"), progress.name())
            .redirectErrorStream(true)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(output.strip()).isEqualTo("all is closed");
    } finally {
      process.destroyForcibly();
    }
  }
}
