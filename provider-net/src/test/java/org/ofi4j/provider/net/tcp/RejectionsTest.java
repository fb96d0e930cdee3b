package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.Progress;

/** What the log says of peers that send rubbish. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RejectionsTest {
  private static final Class<?> FILTER = type("Filter");

  /**
   * Where log lines go that nobody asked to go elsewhere. By reflection, so that the module under
   * test need not read the one that keeps logs.
   */
  private static Class<?> type(String name) {
    try {
      return Class.forName("java.util.logging." + name);
    } catch (ClassNotFoundException missing) {
      throw new AssertionError(missing);
    }
  }

  private static void filter(Object logger, @Nullable Object filter) throws Exception {
    type("Logger").getMethod("setFilter", FILTER).invoke(logger, filter);
  }

  @Test
  @DisplayName("One line for each connection that is closed because of what came over it")
  void lines() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    InvocationHandler collecting =
        (_, _, arguments) -> {
          lines.add((String) arguments[0].getClass().getMethod("getMessage").invoke(arguments[0]));
          return false;
        };
    Object logger =
        type("Logger")
            .getMethod("getLogger", String.class)
            .invoke(null, Rejections.class.getName());
    type("Logger")
        .getMethod("setLevel", type("Level"))
        .invoke(logger, type("Level").getField("FINE").get(null));
    filter(
        logger,
        Proxy.newProxyInstance(FILTER.getClassLoader(), new Class<?>[] {FILTER}, collecting));
    try (TcpRig rig = new TcpRig(TcpRig.hints("127.0.0.1", Progress.AUTO));
        RawPeer peer = new RawPeer()) {
      String name = rig.name().toString();
      int first = reject(RawPeer.connect(rig.name()), new byte[40]);
      int second = reject(peer.join(rig.name(), 7), new byte[16]);
      // Who leaves without having said anything wrong is no matter for the log.
      peer.join(rig.name(), 9).close();
      int third =
          reject(
              RawPeer.connect(rig.name()), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes());
      for (int i = 0; i < 10_000 && lines.size() < 3; i++) {
        Thread.sleep(1);
      }
      assertThat(lines)
          .containsExactly(
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + first
                  + " closed: what came is no connection message; it is number 1",
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + second
                  + " closed: what came is no frame; it is number 2",
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + third
                  + " closed: what came is no connection message; it is number 3");
    } finally {
      filter(logger, null);
    }
  }

  /** Sends rubbish until the connection is closed; says from which port. */
  private static int reject(Socket socket, byte[] rubbish) throws IOException {
    try (socket) {
      socket.getOutputStream().write(rubbish);
      assertThat(RawPeer.isClosed(socket)).isTrue();
      return socket.getLocalPort();
    }
  }
}
