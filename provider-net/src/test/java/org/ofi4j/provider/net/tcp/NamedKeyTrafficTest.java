// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;

/**
 * Endpoints of several processes that share one named vector, and keys that each of them inserts
 * for itself.
 */
class NamedKeyTrafficTest {
  private static final int RED = 1;
  private static final int BLUE = 2;
  private static final Duration BRIEF = Duration.ofSeconds(2);

  private static Rig rig(String name, Duration patience, int key) {
    Hints hints =
        Rig.tcp("127.0.0.1", Progress.AUTO)
            .withMoreCapabilities(Capability.SHARED_AV, Capability.DIRECTED_RECEIVE);
    return Rig.holding(hints, VectorOptions.table().withName(name), patience, Rig.key(key));
  }

  /** Answers what it gets from one handle, both under the red key. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      long server = Long.parseLong(arguments[1]);
      try (Rig rig = rig(arguments[0], Rig.PATIENCE, RED)) {
        System.out.println(rig.authKeys[0] + " " + rig.insertUnder(rig.authKeys[0], rig.name()));
        while (true) {
          var buffer = Rig.buffer(64);
          // From nobody else.
          rig.endpoint()
              .receive(new ReceiveRequest().memory(buffer).source(server).context("receive"));
          Completion.Success received = Rig.success(rig.next());
          if (received.source() != server) {
            throw new AssertionError(received);
          }
          String text = Rig.text(buffer, received.length());
          rig.endpoint().inject(Rig.message(text + ", too"), server);
        }
      }
    }
  }

  /** Has another key, and tries to speak to a handle under the red one. */
  static final class Stranger {
    private Stranger() {}

    public static void main(String[] arguments) throws Exception {
      long server = Long.parseLong(arguments[1]);
      try (Rig rig = rig(arguments[0], BRIEF, BLUE)) {
        System.out.println(rig.authKeys[0]);
        say(() -> rig.vector.lookupAuthKey(server));
        say(() -> rig.endpoint().send(Rig.message("hello"), server, "to red"));
        // The same address under the key that it has: nobody is there who has it.
        long under = rig.insertUnder(rig.authKeys[0], rig.vector.lookup(server));
        rig.endpoint().send(Rig.message("hello"), under, "to blue");
        Completion refused = rig.next();
        System.out.println(
            refused instanceof Completion.Failure failure ? failure.errno() : refused);
        rig.vector.remove(under);
      }
    }

    private static void say(Runnable call) {
      try {
        call.run();
        System.out.println("nothing was wrong");
      } catch (FabricException refused) {
        System.out.println(refused.errno());
      }
    }
  }

  private static void exchange(Rig server, long peer, String text) throws InterruptedException {
    var buffer = Rig.buffer(64);
    server.endpoint().receive(buffer, "receive");
    server.endpoint().inject(Rig.message(text), peer);
    Completion.Success received = Rig.success(server.next());
    assertThat(received.source()).as("found in the shared vector, by key").isEqualTo(peer);
    assertThat(Rig.text(buffer, received.length())).isEqualTo(text + ", too");
  }

  @Test
  @Tag("AV-094")
  @Tag("AV-095")
  @Tag("AV-157")
  @Tag("AV-162")
  @DisplayName("Who has the key of a shared vector is spoken to, whoever else shares it is not")
  void keysAreThoseOfEachProcess() throws Exception {
    String name = "tenants " + UUID.randomUUID();
    try (Rig server = rig(name, Rig.PATIENCE, RED)) {
      long red = server.authKeys[0];
      long plain = server.vector.insert(server.name());
      long own = server.insertUnder(red, server.name());
      assertThat(own).isNotEqualTo(plain);
      for (int round = 0; round < 2; round++) {
        try (EndpointProcess holder = new EndpointProcess(Holder.class, name, "" + own)) {
          String[] said = String.valueOf(holder.line()).split(" ", -1);
          assertThat(Long.parseLong(said[0])).as("the same handle").isEqualTo(red);
          long peer = Long.parseLong(said[1]);
          assertThat(server.vector.lookupAuthKey(peer)).isEqualTo(Rig.key(RED));
          exchange(server, peer, "hello");
          try (EndpointProcess stranger = new EndpointProcess(Stranger.class, name, "" + own)) {
            assertThat(stranger.line()).as("a number of its own").isEqualTo("" + (red + 1));
            assertThat(stranger.line()).isEqualTo("" + Errno.ENOKEY);
            assertThat(stranger.line()).isEqualTo("" + Errno.ENOKEY);
            assertThat(stranger.line()).isEqualTo("" + Errno.EKEYREJECTED);
            assertThat(stranger.endsWell()).isTrue();
          }
          exchange(server, peer, "and again");
          holder.kill();
          // Its key is this process's still, and its entry is there.
          assertThat(server.vector.lookupAuthKey(peer)).isEqualTo(Rig.key(RED));
        }
        assertThat(server.domain.sharedVectors().verify(name, Rig.PATIENCE).violations()).isEmpty();
      }
    }
  }
}
