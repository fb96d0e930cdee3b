// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.List;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.security.KeyDialogueTest;
import org.ofi4j.provider.net.security.KeyProofs;
import org.ofi4j.provider.net.tcp.KeyedScript;
import org.ofi4j.provider.net.wire.ConnectionMessage;

/**
 * Any bytes as one of the messages by which endpoints prove that they hold the same key: none but
 * the one message that belongs there proves anything, and the others are refused as such. Every
 * build replays the inputs that are kept in {@code KeyMessagesFuzzTestInputs}; to look for new
 * ones, ten million executions,
 *
 * <pre>
 *   JAZZER_FUZZ=1 mvn -pl provider-net -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dofi4j.test.args=-Djunit.jupiter.execution.timeout.mode=disabled \
 *       -Dtest=KeyMessagesFuzzTest#message
 * </pre>
 */
class KeyMessagesFuzzTest {
  private static final InetSocketAddress REQUESTER = new InetSocketAddress("10.1.1.1", 4000);
  private static final InetSocketAddress ACCEPTOR = new InetSocketAddress("10.1.1.2", 5000);
  private static final int KEY = 3;
  private static final byte[] BYTES = Rig.key(1);
  private static final KeyProofs PROOFS =
      new KeyProofs(new int[] {KEY - 1, KEY}, KeyMessagesFuzzTest::hmac);
  private static final List<byte[]> GENUINE = genuine();

  private static byte[] hmac(int number, ByteBuffer... pieces) {
    return KeyDialogueTest.hmac(number == KEY ? BYTES : Rig.key(2), pieces);
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static List<byte[]> genuine() {
    KeyedScript script = new KeyedScript(BYTES, REQUESTER, ACCEPTOR);
    return List.of(
        script.message(KeyedScript.REQUEST, 1, 4711, 5, filled(1)),
        script.message(KeyedScript.CHALLENGE, 0x81, 4711, 7, filled(2)),
        script.message(KeyedScript.CONFIRMATION, 1, 4711, 5, new byte[0]),
        script.message(KeyedScript.RESPONSE, 0x81, 4711, 7, new byte[0]));
  }

  /**
   * One message.
   *
   * @param data which step, then what is changed in the right message: pairs of place and
   *     difference; or, if the first byte is above 3, the bytes of a message
   */
  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void message(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    int number = data[0] & 3;
    byte[] right = GENUINE.get(number);
    byte[] bytes;
    if ((data[0] & 0xFF) > 3) {
      bytes = Arrays.copyOfRange(data, 1, data.length);
    } else {
      bytes = right.clone();
      for (int i = 1; i + 1 < data.length; i += 2) {
        bytes[(data[i] & 0xFF) % bytes.length] ^= data[i + 1];
      }
    }
    boolean proven = isProven(number, bytes);
    if (proven != startsWith(bytes, right)) {
      throw new AssertionError("step " + number + ": " + Arrays.toString(data) + " -> " + proven);
    }
  }

  /** What comes behind a message is not looked at. */
  private static boolean startsWith(byte[] bytes, byte[] right) {
    return bytes.length >= right.length
        && Arrays.equals(bytes, 0, right.length, right, 0, right.length);
  }

  private static boolean isProven(int number, byte[] bytes) throws IOException {
    KeyDialogue dialogue =
        new KeyDialogue(PROOFS, number == 0 ? KeyDialogue.NO_KEY : KEY, REQUESTER, ACCEPTOR, null);
    for (byte[] before : GENUINE.subList(0, number)) {
      dialogue.verify(ByteBuffer.wrap(before));
    }
    ConnectionMessage message = new ConnectionMessage();
    try {
      if (!message.read(Channels.newChannel(new ByteArrayInputStream(bytes)), true)) {
        return false;
      }
      Handshake.check(dialogue.step(), message);
    } catch (IOException refused) {
      return false;
    }
    return number == 0
        ? dialogue.recognise(message.bytes()) && dialogue.key() == KEY
        : dialogue.verify(message.bytes());
  }
}
