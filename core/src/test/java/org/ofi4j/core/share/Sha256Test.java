package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Digests are those that everybody else makes of the same text. */
class Sha256Test {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @Test
  void digestsAreThoseOfTheJdk() throws Exception {
    MessageDigest other = MessageDigest.getInstance("SHA-256");
    Random random = new Random(SEED);
    StringBuilder text = new StringBuilder();
    // Whatever fills a block, or leaves no room for the length.
    for (int length = 0; length < 300; length++) {
      byte[] wanted = other.digest(text.toString().getBytes(StandardCharsets.UTF_8));
      assertThat(Sha256.of(text.toString())).as("of %s, seed %d", text, SEED).isEqualTo(wanted);
      text.appendCodePoint(random.nextInt(10) == 0 ? 0x1F600 : random.nextInt(1, 0x800));
    }
    for (int length = 0; length < 200; length++) {
      String plain = "x".repeat(length);
      assertThat(Sha256.of(plain))
          .isEqualTo(other.digest(plain.getBytes(StandardCharsets.US_ASCII)));
    }
  }

  @Test
  void thisProcessIsTheOneThatTheSystemKnows() {
    assertThat(OwnProcess.id()).isEqualTo(ProcessHandle.current().pid());
  }
}
