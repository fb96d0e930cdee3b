// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.tcp.RawPeer;

/** The extension block as bytes, and what an endpoint makes of one that comes. */
class ExtensionBlockTest {
  /** What an endpoint says by default: 64 MiB of room, and a quarter of 30 seconds. */
  private static final String OWN = "4f464934 01 00 0016 0000001d 00000000 0001 0400 1d4c";

  private static final String PLAIN = "4f464934 01 00 0014 00000001 00000000 0001 0000";

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  private static @Nullable ExtensionBlock decode(String hex) throws ProtocolException {
    byte[] bytes = bytes(hex);
    return ExtensionBlock.decode(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  private static byte[] encoded(ExtensionBlock block) {
    ByteBuffer out = ByteBuffer.allocate(block.size());
    block.encode(out, 0);
    return out.array();
  }

  @Test
  void looksAsDescribed() {
    assertThat(encoded(ExtensionBlock.of(0, 1))).isEqualTo(bytes(PLAIN));
    assertThat(encoded(ExtensionBlock.of(0, 1).withHeartbeats(0x1234)))
        .isEqualTo(bytes("4f464934 01 00 0016 00000009 00000000 0001 0000 1234"));
    assertThat(
            encoded(
                ExtensionBlock.of(0, 1).withHeartbeats(7_500).withIdleClosing().withRoom(64 << 20)))
        .isEqualTo(bytes(OWN));
    ExtensionBlock whole =
        ExtensionBlock.of(0, 1)
            .withKeyPart(new byte[] {5, 6})
            .withRoom(0x1_0000)
            .withHeartbeats(0x1234);
    assertThat(encoded(whole))
        .isEqualTo(bytes("4f464934 01 00 0018 0000000f 00000000 0001 0001 1234 0506"));
    assertThat(encoded(ExtensionBlock.of(0x01020304, 0x8001).withKeyPart(new byte[] {5, 6})))
        .isEqualTo(bytes("4f464934 01 00 0016 00000003 01020304 8001 0000 0506"));
    assertThat(encoded(ExtensionBlock.of(0, 1).withRoom(0x3_FFFF)))
        .isEqualTo(bytes("4f464934 01 00 0014 00000005 00000000 0001 0003"));
  }

  @Test
  void isReadAsDescribed() throws ProtocolException {
    ExtensionBlock block = decode("4f464934 01 ff 0016 80000003 ffffffff 8001 ffff 0506 07");
    assertThat(block).isNotNull();
    assertThat(block.has(ExtensionBlock.DELIVERY_WORDS)).isTrue();
    assertThat(block.has(ExtensionBlock.AUTHORIZATION_KEY)).isTrue();
    assertThat(block.maxGroup()).isEqualTo(Integer.MAX_VALUE);
    assertThat(block.receiveContexts()).isEqualTo(0x8001);
    assertThat(block.keyPart()).containsExactly(5, 6);
    assertThat(block.room()).isEqualTo(0xFFFF_0000L);
    assertThat(block.heartbeat()).isZero();
    ExtensionBlock beating = decode("4f464934 01 00 0018 0000000f 00000000 0001 0002 fedc 0506");
    assertThat(beating).isNotNull();
    assertThat(beating.heartbeat()).isEqualTo(0xFEDC);
    assertThat(beating.room()).isEqualTo(0x2_0000);
    assertThat(beating.keyPart()).containsExactly(5, 6);
    ExtensionBlock longer = decode("4f464934 01 00 0016 00000001 00000007 0002 0000 0506");
    assertThat(longer).isNotNull();
    assertThat(longer.keyPart()).isEmpty();
    assertThat(longer.maxGroup()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "4f4649",
        "6565656565656565",
        // Of a later version, whatever else it says.
        "4f464934 02 00 0000",
        "4f464934 ff 00 ffff 00000001 00000000 0001 0000"
      })
  void otherDataIsNone(String hex) throws ProtocolException {
    assertThat(decode(hex)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4f464934",
        "4f464934 01 00 00",
        // Cut off, too short, too long, version 0, no receive context, too short for heartbeats.
        "4f464934 01 00 0014 00000001 00000000 0001 00",
        "4f464934 01 00 0013 00000001 00000000 0001 0000",
        "4f464934 01 00 0015 00000001 00000000 0001 0000",
        "4f464934 00 00 0014 00000001 00000000 0001 0000",
        "4f464934 01 00 0014 00000001 00000000 0000 0000",
        "4f464934 01 00 0015 00000009 00000000 0001 0000 12"
      })
  void malformedOnesAreRefused(String hex) {
    assertThatThrownBy(() -> decode(hex)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void keyPartsHaveABound() {
    ExtensionBlock block = ExtensionBlock.of(0, 1);
    int most = ExtensionBlock.MAX_SIZE - ExtensionBlock.FIXED;
    assertThat(block.withKeyPart(new byte[most]).size()).isEqualTo(ExtensionBlock.MAX_SIZE);
    assertThatThrownBy(() -> block.withKeyPart(new byte[most + 1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> block.withHeartbeats(1).withKeyPart(new byte[most - 1]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsAgreedIsWhatBothHave() throws ProtocolException {
    ExtensionBlock own = ExtensionBlock.of(1000, 4);
    ExtensionBlock its = ExtensionBlock.of(10, 2);
    assertThat(Agreement.of(own, null, Agreement.NONE)).isSameAs(Agreement.NONE);
    assertThat(Agreement.NONE.hasWords()).isFalse();
    assertThat(
            Agreement.of(own, decode(PLAIN.replace("00000001", "00000000")), Agreement.NONE)
                .hasWords())
        .isFalse();
    Agreement agreed = Agreement.of(own, its, Agreement.NONE);
    assertThat(agreed.hasWords()).isTrue();
    assertThat(agreed.refusal(DeliveryWord.of(10, 1))).isNull();
    assertThat(agreed.refusal(DeliveryWord.of(11, 0)).errno()).isEqualTo(Errno.EINVAL);
    assertThat(agreed.refusal(DeliveryWord.of(-1, 0)).errno()).isEqualTo(Errno.EINVAL);
    assertThat(agreed.refusal(DeliveryWord.of(0, 2)).errno()).isEqualTo(Errno.EINVAL);
    assertThat(Agreement.NONE.refusal(DeliveryWord.of(1, 0)).errno()).isEqualTo(Errno.EOPNOTSUPP);
    assertThat(Agreement.NONE.refusal(DeliveryWord.of(0, 1)).errno()).isEqualTo(Errno.EOPNOTSUPP);
    assertThat(
            Agreement.of(own, decode(PLAIN), Agreement.NONE).refusal(DeliveryWord.of(1, 0)).errno())
        .isEqualTo(Errno.EOPNOTSUPP);
    agreed.check(DeliveryWord.of(1000, 3));
    assertThatThrownBy(() -> agreed.check(DeliveryWord.of(1001, 0)))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> agreed.check(DeliveryWord.of(-1, 0)))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> agreed.check(DeliveryWord.of(1, 4)))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void heartbeatsAreForThoseWhoBothSayThem() throws ProtocolException {
    ExtensionBlock own = ExtensionBlock.of(0, 1).withHeartbeats(7_500);
    Agreement agreed =
        Agreement.of(own, ExtensionBlock.of(0, 1).withHeartbeats(300), Agreement.NONE);
    assertThat(agreed.hasHeartbeats()).isTrue();
    assertThat(agreed.heartbeat()).isEqualTo(300);
    // A peer that has the block without the field wants none, and sends none.
    Agreement without = Agreement.of(own, decode(PLAIN), Agreement.NONE);
    assertThat(without.hasWords()).isTrue();
    assertThat(without.hasHeartbeats()).isFalse();
    assertThat(without.heartbeat()).isZero();
    assertThat(Agreement.NONE.hasHeartbeats()).isFalse();
  }

  /** Whoever answers a request to close may have to send a heartbeat. */
  @Test
  void idleClosingIsForThoseWhoBothSayItAndHeartbeats() throws ProtocolException {
    ExtensionBlock beating = ExtensionBlock.of(0, 1).withHeartbeats(7_500);
    ExtensionBlock own = beating.withIdleClosing();
    assertThat(Agreement.of(own, own, Agreement.NONE).hasIdleClosing()).isTrue();
    assertThat(Agreement.of(own, beating, Agreement.NONE).hasIdleClosing()).isFalse();
    assertThat(Agreement.of(beating, own, Agreement.NONE).hasIdleClosing()).isFalse();
    assertThat(
            Agreement.of(own, ExtensionBlock.of(0, 1).withIdleClosing(), Agreement.NONE)
                .hasIdleClosing())
        .isFalse();
    assertThat(Agreement.of(own, decode(PLAIN), Agreement.NONE).hasIdleClosing()).isFalse();
    assertThat(Agreement.NONE.hasIdleClosing()).isFalse();
    ExtensionBlock read = decode(OWN);
    assertThat(read).isNotNull();
    assertThat(Agreement.of(own, read, Agreement.NONE).hasIdleClosing()).isTrue();
    assertThat(Agreement.of(own, read, Agreement.NONE).heartbeat()).isEqualTo(7_500);
  }

  private static Rig rig() {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
  }

  private static void assertTakes(Rig rig, Socket from, byte[] frame, String text)
      throws Exception {
    var buffer = Rig.buffer(64);
    rig.endpoint().receive(buffer, "received");
    from.getOutputStream().write(frame);
    Completion.Success received = (Completion.Success) rig.next();
    assertThat(Rig.text(buffer, received.length())).isEqualTo(text);
  }

  /** Each request has a block; one without is answered as C programs do. */
  @Test
  void requestsHaveABlock() throws Exception {
    try (Rig rig = rig();
        RawPeer asked = new RawPeer();
        RawPeer asking = new RawPeer()) {
      rig.endpoint().send(Rig.message("hello"), rig.vector.insert(asked.name()), "sent");
      try (Socket socket = asked.accept(7);
          Socket other = asking.join(rig.name(), 8)) {
        assertThat(Arrays.copyOfRange(asked.heard, 40, asked.heard.length)).isEqualTo(bytes(OWN));
        assertThat(asking.heard).hasSize(40);
        assertThat(RawPeer.read(socket, 21)).endsWith("hello".getBytes());
        assertThat(rig.next().context()).isEqualTo("sent");
        assertTakes(rig, other, asking.frame("hi"), "hi");
      }
    }
  }

  @Test
  void aBlockIsAnsweredWithABlock() throws Exception {
    try (Rig rig = rig();
        RawPeer asking = new RawPeer()) {
      asking.extension = bytes("4f464934 01 00 0014 00000001 00000064 0004 0000");
      try (Socket socket = asking.join(rig.name(), 7)) {
        assertThat(Arrays.copyOfRange(asking.heard, 40, asking.heard.length)).isEqualTo(bytes(OWN));
        assertTakes(rig, socket, asking.frame("without"), "without");
        assertTakes(rig, socket, asking.frame("with", 0, 0), "with");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4f464934 02 00 0014 00000001 00000000 0001 0000", "65656565", "4f46"})
  void otherBlocksAreAnsweredWithNone(String hex) throws Exception {
    try (Rig rig = rig();
        RawPeer asking = new RawPeer()) {
      asking.extension = bytes(hex);
      try (Socket socket = asking.join(rig.name(), 7)) {
        assertThat(asking.heard).hasSize(40);
        assertTakes(rig, socket, asking.frame("hi"), "hi");
      }
    }
  }

  /** A connection with a malformed block is closed, and the one that was there stays. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "4f464934",
        "4f464934 01 00 0014 00000001",
        "4f464934 01 00 00ff 00000001 00000000 0001 0000"
      })
  void malformedBlocksCloseTheirConnectionAlone(String hex) throws Exception {
    try (Rig rig = rig();
        RawPeer asking = new RawPeer()) {
      try (Socket good = asking.join(rig.name(), 7)) {
        asking.extension = bytes(hex);
        try (Socket bad = RawPeer.connect(rig.name())) {
          // Another life of the same peer, which would replace the connection.
          bad.getOutputStream().write(asking.request(8));
          assertThat(RawPeer.isClosed(bad)).isTrue();
        }
        assertTakes(rig, good, asking.frame("still there"), "still there");
      }
    }
  }

  /** Words and groups that were not agreed on cost the connection, and nothing else. */
  @Test
  void strayWordsCloseTheirConnectionAlone() throws Exception {
    try (Rig rig = rig();
        RawPeer plain = new RawPeer();
        RawPeer extended = new RawPeer();
        RawPeer bystander = new RawPeer()) {
      extended.extension = bytes(PLAIN);
      try (Socket good = bystander.join(rig.name(), 6);
          Socket noWords = plain.join(rig.name(), 7);
          Socket noGroups = extended.join(rig.name(), 8)) {
        noWords.getOutputStream().write(plain.frame("word without agreement", 0, 0));
        assertThat(RawPeer.isClosed(noWords)).isTrue();
        noGroups.getOutputStream().write(extended.frame("no such group", 1, 0));
        assertThat(RawPeer.isClosed(noGroups)).isTrue();
        try (Socket noContexts = extended.join(rig.name(), 9)) {
          noContexts.getOutputStream().write(extended.frame("no such context", 0, 1));
          assertThat(RawPeer.isClosed(noContexts)).isTrue();
        }
        assertTakes(rig, good, bystander.frame("undisturbed"), "undisturbed");
      }
    }
  }
}
