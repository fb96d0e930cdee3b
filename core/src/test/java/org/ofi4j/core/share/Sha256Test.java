package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Sha256Test {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  /** Lengths at which the ending still fits into a block, and no longer does, among them. */
  @Test
  void isThatOfTheJdkForEveryLength() throws Exception {
    Random random = new Random(SEED);
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (int length = 0; length < 400; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      assertThat(Sha256.of(bytes))
          .as("%s bytes, -Dofi4j.seed=%s", length, SEED)
          .isEqualTo(digest.digest(bytes));
    }
  }
}
