// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.tcp.KeyedScript;
import org.ofi4j.provider.net.wire.KeyStep;

/** The proofs by which two endpoints find out that they hold the same key. */
public class KeyDialogueTest {
  private static final InetSocketAddress REQUESTER = new InetSocketAddress("10.1.1.1", 4000);
  private static final InetSocketAddress ACCEPTOR = new InetSocketAddress("10.1.1.2", 5000);

  private static final int FIRST = 5;
  private static final int PORT = 4711;
  private static final int LIFE = 0x1122_3345;
  private static final int OTHER_LIFE = 0x5566_7789;

  private static byte[] key(int first) {
    byte[] bytes = new byte[32];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Keys with the numbers 5, 6 and so on. */
  private static KeyProofs holding(byte[]... keys) {
    return new KeyProofs(
        IntStream.range(0, keys.length).map(i -> FIRST + i).toArray(),
        (number, pieces) -> hmac(keys[number - FIRST], pieces));
  }

  public static byte[] hmac(byte[] key, ByteBuffer... pieces) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      Arrays.stream(pieces).forEach(mac::update);
      return mac.doFinal();
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static KeyDialogue asking(byte[] key) {
    return new KeyDialogue(holding(key), FIRST, REQUESTER, ACCEPTOR, null);
  }

  private static KeyDialogue asked(byte[]... keys) {
    return new KeyDialogue(holding(keys), KeyDialogue.NO_KEY, REQUESTER, ACCEPTOR, null);
  }

  /** The four messages of a dialogue that ends well. */
  private static List<byte[]> dialogue(byte[] key, InetSocketAddress from, InetSocketAddress to) {
    KeyedScript script = new KeyedScript(key, from, to);
    return List.of(
        script.message(KeyedScript.REQUEST, 1, PORT, LIFE, filled(0xAA)),
        script.message(KeyedScript.CHALLENGE, 0x81, PORT, OTHER_LIFE, filled(0xBB)),
        script.message(KeyedScript.CONFIRMATION, 1, PORT, LIFE, new byte[0]),
        script.message(KeyedScript.RESPONSE, 0x81, PORT, OTHER_LIFE, new byte[0]));
  }

  private static List<byte[]> dialogue() {
    return dialogue(key(1), REQUESTER, ACCEPTOR);
  }

  static boolean hears(KeyDialogue side, byte[] message) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(message);
    return (side.step() == KeyStep.REQUEST && side.key() == KeyDialogue.NO_KEY)
        ? side.recognise(bytes)
        : side.verify(bytes);
  }

  /** Says a message of which the proof is missing; it is the expected one then. */
  private static void says(KeyDialogue side, byte[] expected) throws IOException {
    byte[] message = expected.clone();
    int tag = side.step().tag();
    Arrays.fill(message, message.length - tag, message.length, (byte) 0);
    side.seal(ByteBuffer.wrap(message));
    assertThat(message).isEqualTo(expected);
  }

  /** What another implementation of HMAC-SHA-256 made of the same messages. */
  @Test
  void knownProofs() throws IOException {
    assertThat(proofs(dialogue()))
        .containsExactly(
            "5c85865b1e7fa4e5f77bba8dd07d6e1b",
            "646a0438c4aca743c1fea1a4a2990c00c78f563cb285743f919afe3793761573",
            "e83dcede8cf1113f47e009719040c81c7b8251367e8be5d88888b4a5f5792667",
            "85fef31284bbab2e74c1611e5b1c1e76b515ba7f0117d09aef3da6f133ac8048");
    assertThat(
            proofs(
                dialogue(
                    filled(0xFF),
                    new InetSocketAddress("fd00::1", 65_535),
                    new InetSocketAddress("fd00::2", 1))))
        .containsExactly(
            "07a7493dbe992f1559590eac19860afc",
            "43f8abab32c6ff8a9c524642fb54f1f3201de0145f46565b1cc03ed7b7a4a82e",
            "b6e653570a008abb97b92e00de6d09b32f53cbd2bce98d9416bb3f046e7413eb",
            "71c021d9c5b0508569021ae29f76a07b6c3d73c42ddb9eb9226c525222de878c");
  }

  private static List<String> proofs(List<byte[]> messages) {
    return messages.stream()
        .map(each ->
            HexFormat.of().formatHex(each, each.length - (each[1] == 0 ? 16 : 32), each.length))
        .toList();
  }

  @Test
  void bothSidesAgree() throws IOException {
    List<byte[]> all = dialogue();
    KeyDialogue asking = asking(key(1));
    KeyDialogue asked = asked(key(9), key(1), key(5));
    says(asking, all.get(0));
    assertThat(hears(asked, all.get(0))).isTrue();
    assertThat(asked.key()).isEqualTo(FIRST + 1);
    says(asked, all.get(1));
    assertThat(hears(asking, all.get(1))).isTrue();
    says(asking, all.get(2));
    assertThat(hears(asked, all.get(2))).isTrue();
    assertThat(asked.step()).isEqualTo(KeyStep.RESPONSE);
    says(asked, all.get(3));
    assertThat(hears(asking, all.get(3))).isTrue();
  }

  @Test
  @DisplayName("A dialogue of which one bit is changed does not end well")
  void everyBit() throws IOException {
    for (int number = 0; number < 4; number++) {
      int length = dialogue().get(number).length;
      for (int bit = 0; bit < 8 * length; bit += 3) {
        List<byte[]> all = dialogue();
        all.get(number)[bit / 8] ^= (byte) (1 << bit % 8);
        KeyDialogue asking = asking(key(1));
        KeyDialogue asked = asked(key(1));
        byte[] request = dialogue().getFirst();
        says(asking, request);
        boolean good =
            hears(asked, all.get(0))
                && answers(asked, dialogue().get(1))
                && hears(asking, all.get(1))
                && answers(asking, dialogue().get(2))
                && hears(asked, all.get(2))
                && answers(asked, dialogue().get(3))
                && hears(asking, all.get(3));
        assertThat(good).as("bit %d of message %d", bit, number).isFalse();
      }
    }
  }

  private static boolean answers(KeyDialogue side, byte[] message) throws IOException {
    side.seal(ByteBuffer.wrap(message.clone()));
    return true;
  }

  @Test
  void anotherKeyIsNotRecognised() throws IOException {
    assertThat(hears(asked(key(2), key(3)), dialogue().getFirst())).isFalse();
    assertThat(hears(asked(), dialogue().getFirst())).isFalse();
  }

  @Test
  @DisplayName("The right hint of a recorded request does not help to prove anything")
  void forgedAfterTheRightHint() throws IOException {
    List<byte[]> recorded = dialogue();
    KeyDialogue asked = asked(key(1));
    assertThat(hears(asked, recorded.get(0))).isTrue();
    // A nonce of its own, which the recorded confirmation does not know.
    byte[] challenge = recorded.get(1).clone();
    challenge[60]++;
    asked.seal(ByteBuffer.wrap(challenge));
    assertThat(hears(asked, recorded.get(2))).isFalse();
  }

  @Test
  void aProofSaysNothingInAnotherPlace() throws IOException {
    List<byte[]> all = dialogue();
    KeyDialogue asking = asking(key(1));
    answers(asking, all.get(0));
    byte[] reflected = all.get(0).clone();
    assertThat(hears(asking, reflected)).isFalse();
    KeyDialogue asked = asked(key(1));
    hears(asked, all.get(0));
    answers(asked, all.get(1));
    assertThat(hears(asked, all.get(1))).isFalse();
  }

  @Test
  @DisplayName("What is passed on between two connections is worth nothing there")
  void passedOn() throws IOException {
    InetSocketAddress between = new InetSocketAddress("10.1.1.3", 6000);
    List<byte[]> elsewhere = dialogue(key(1), between, ACCEPTOR);
    KeyDialogue asking = new KeyDialogue(holding(key(1)), FIRST, REQUESTER, between, null);
    answers(asking, elsewhere.get(0));
    assertThat(hears(asking, elsewhere.get(1))).isFalse();
  }

  @Test
  void noncesDiffer() throws IOException {
    KeyDialogue asking = asking(key(1));
    assertThat(asking.keyPart()).hasSize(48).isNotEqualTo(asking.keyPart());
    assertThat(Arrays.copyOfRange(asking.keyPart(), 32, 48)).containsOnly(0);
  }
}
