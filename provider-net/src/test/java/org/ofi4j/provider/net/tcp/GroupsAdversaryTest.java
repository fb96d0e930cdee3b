// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Peers that agree on groups in ways of their own, or do not keep to what was agreed on. */
class GroupsAdversaryTest {
  private static final int MOST = 1_000;
  private static final Duration SHORT = Duration.ofMillis(300);

  /** What an endpoint with groups 0 to 1000 says. */
  private static final byte[] OWN = bytes("4f464934 01 00 0016 0000001d 000003e8 0001 0400 1d4c");

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  /** A block of a peer that takes groups up to some. */
  private static byte[] block(int most) {
    return bytes("4f464934 01 00 0014 00000001 %08x 0001 0000".formatted(most));
  }

  private static Rig rig(Duration timeout) {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO).withMaxGroupId(MOST), timeout);
  }

  private static Rig rig() {
    return rig(Rig.PATIENCE);
  }

  private static void assertTakes(Rig rig, int group, Socket from, byte[] frame, String text)
      throws Exception {
    MemorySegment buffer = Rig.buffer(64);
    rig.endpoint()
        .receive(
            new ReceiveRequest()
                .memory(buffer)
                .source(Handles.anySourceInGroup(group))
                .context("received"));
    from.getOutputStream().write(frame);
    Completion.Success received = (Completion.Success) rig.next();
    assertThat(received.context()).isEqualTo("received");
    assertThat(Rig.text(buffer, received.length())).isEqualTo(text);
  }

  private static void assertFails(Rig rig, Errno errno) throws Exception {
    Completion sent = rig.next();
    assertThat(sent).isInstanceOf(Completion.Failure.class);
    assertThat(((Completion.Failure) sent).errno()).isEqualTo(errno);
  }

  /** Sends to a group, which the peer does not take, and then without one. */
  private static void assertStripped(Rig rig, RawPeer peer, Errno errno) throws Exception {
    long handle = rig.vector.insert(peer.name());
    rig.endpoint().send(Rig.message("lost?"), Handles.inGroup(handle, 11), "group");
    rig.endpoint().send(Rig.message("plain"), handle, "plain");
    try (Socket socket = peer.accept(7)) {
      assertThat(Arrays.copyOfRange(peer.heard, 40, peer.heard.length)).isEqualTo(OWN);
      assertFails(rig, errno);
      assertThat(rig.next()).isInstanceOf(Completion.Success.class);
      // The first bytes that come are those of the message that was sent.
      assertThat(RawPeer.read(socket, 21)).isEqualTo(peer.frame("plain"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Stripped; of a later version; somebody else's; without the feature; without groups.
        "",
        "4f464934 02 00 0014 00000001 000003e8 0001 0000",
        "65656565656565656565656565656565656565656565",
        "4f464934 01 00 0014 00000000 000003e8 0001 0000",
        "4f464934 01 00 0014 00000001 00000000 0001 0000"
      })
  @Tag("AV-199")
  @DisplayName("A peer that does not agree gets no word, and no message that would need one")
  void stripped(String answer) throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.extension = bytes(answer);
      assertStripped(rig, peer, Errno.EOPNOTSUPP);
    }
  }

  @Test
  @Tag("AV-199")
  @DisplayName("A peer gets no message of a group beyond its own largest")
  void fewerGroups() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.extension = block(10);
      assertStripped(rig, peer, Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4f464934",
        "4f464934 01 00 0014 00000001 000003e8",
        "4f464934 01 00 0015 00000001 000003e8 0001 0000",
        "4f464934 00 00 0014 00000001 000003e8 0001 0000"
      })
  @DisplayName("A malformed answer is no connection, however often it comes")
  void malformedAnswers(String answer) throws Exception {
    try (Rig rig = rig(SHORT);
        RawPeer peer = new RawPeer();
        RawPeer bystander = new RawPeer()) {
      peer.extension = bytes(answer);
      Thread.ofVirtual().start(() -> answerAll(peer));
      long handle = rig.vector.insert(peer.name());
      try (Socket good = bystander.join(rig.name(), 6)) {
        rig.endpoint().send(Rig.message("to nobody"), handle, "sent");
        rig.endpoint().send(Rig.message("to nobody"), Handles.inGroup(handle, 1), "sent");
        assertFails(rig, Errno.EIO);
        assertFails(rig, Errno.EIO);
        assertTakes(rig, 0, good, bystander.frame("undisturbed"), "undisturbed");
      }
    }
  }

  private static void answerAll(RawPeer peer) {
    try {
      while (true) {
        try (Socket socket = peer.accept(7)) {
          RawPeer.isClosed(socket);
        }
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("AV-198")
  @DisplayName("Words look as described, in both byte orders")
  void words(boolean bigEndian) throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.order = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
      peer.extension = block(-1);
      long handle = rig.vector.insert(peer.name());
      rig.endpoint().send(Rig.message("hello"), Handles.inGroup(handle, 0x102), "sent");
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("x"))
                  .destination(Handles.inGroup(handle, 3))
                  .tag(5)
                  .context("sent"));
      try (Socket socket = peer.accept(7)) {
        assertThat(RawPeer.read(socket, 29)).isEqualTo(peer.frame("hello", 0x102, 0));
        assertThat(RawPeer.read(socket, 33))
            .isEqualTo(
                bytes(
                    bigEndian
                        ? "03 01 0100 00 00 20 01 0000000000000021 0000000000000005"
                            + " 00000003 0000 0000 78"
                        : "03 01 0001 00 00 20 01 2100000000000000 0500000000000000"
                            + " 03000000 0000 0000 78"));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        assertTakes(rig, 0x103, socket, peer.frame("a word", 0x103, 0), "a word");
        assertTakes(rig, MOST, socket, peer.frame("the last", MOST, 0), "the last");
        assertTakes(rig, 0, socket, peer.frame("word of zero", 0, 0), "word of zero");
      }
    }
  }

  @Test
  @Tag("AV-198")
  @DisplayName("A group out of range, or a word without agreement, costs its connection alone")
  void outOfRange() throws Exception {
    try (Rig rig = rig();
        RawPeer bystander = new RawPeer();
        RawPeer plain = new RawPeer();
        RawPeer rogue = new RawPeer()) {
      bystander.extension = block(MOST);
      rogue.extension = block(MOST);
      MemorySegment waiting = Rig.buffer(64);
      rig.endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(waiting)
                  .source(Handles.anySourceInGroup(MOST))
                  .context("waiting"));
      try (Socket good = bystander.join(rig.name(), 1)) {
        int life = 2;
        for (int group : new int[] {MOST + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
          try (Socket bad = rogue.join(rig.name(), life++)) {
            bad.getOutputStream().write(rogue.frame("rogue", group, 0));
            assertThat(RawPeer.isClosed(bad)).isTrue();
          }
        }
        try (Socket bad = rogue.join(rig.name(), life)) {
          bad.getOutputStream().write(rogue.frame("rogue", MOST, 1));
          assertThat(RawPeer.isClosed(bad)).isTrue();
        }
        try (Socket bad = plain.join(rig.name(), life)) {
          bad.getOutputStream().write(plain.frame("rogue", MOST, 0));
          assertThat(RawPeer.isClosed(bad)).isTrue();
        }
        assertTakes(rig, 5, good, bystander.frame("good", 5, 0), "good");
        good.getOutputStream().write(bystander.frame("waited for", MOST, 0));
        Completion.Success received = (Completion.Success) rig.next();
        assertThat(received.context()).isEqualTo("waiting");
        assertThat(Rig.text(waiting, received.length())).isEqualTo("waited for");
      }
    }
  }

  /** What waits for a connection is looked at again when there is another one. */
  @Test
  @Tag("AV-199")
  @DisplayName("A peer that lives again has agreed to nothing before it says so")
  void anotherLife() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      long handle = Handles.inGroup(rig.vector.insert(peer.name()), 11);
      peer.extension = block(MOST);
      rig.endpoint().send(Rig.message("first"), handle, "sent");
      try (Socket socket = peer.accept(1)) {
        assertThat(RawPeer.read(socket, 29)).isEqualTo(peer.frame("first", 11, 0));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        peer.extension = new byte[0];
        try (Socket again = peer.join(rig.name(), 2)) {
          assertThat(peer.heard).hasSize(40);
          rig.endpoint().send(Rig.message("second"), handle, "sent");
          assertFails(rig, Errno.EOPNOTSUPP);
          assertTakes(rig, 0, again, peer.frame("plain"), "plain");
          peer.extension = block(MOST);
          try (Socket third = peer.join(rig.name(), 3)) {
            rig.endpoint().send(Rig.message("third"), handle, "sent");
            assertThat(RawPeer.read(third, 29)).isEqualTo(peer.frame("third", 11, 0));
          }
        }
      }
    }
  }
}
