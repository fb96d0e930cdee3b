// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process dies behind each place where something is stored, in changes of all kinds, repairs and
 * where reservations of the dead are given back, whoever survives, and whatever they do next. After
 * each death everything that was there is there, what was to change is as before or as after, for
 * who was there and who comes now; the verifier finds nothing wrong, before and after the repair.
 * {@link HaltedProduct} says what is combined with what.
 */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreDeathsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  /** Where files of vectors are as a rule, else where temporary ones are. */
  private Path files;

  @BeforeEach
  void makeDirectory() throws IOException {
    Path shared = Path.of("/dev/shm");
    files =
        Files.isWritable(shared)
            ? Files.createTempDirectory(shared, "ofi4j-deaths")
            : Files.createTempDirectory("ofi4j-deaths");
  }

  @AfterEach
  void removeDirectory() throws IOException {
    HaltedProduct.delete(files);
  }

  @Test
  void anybodySurvivesSomeDeaths() throws IOException {
    try (HaltedProduct product = new HaltedProduct(files, SEED)) {
      assertThat(product.sample(3, 3, 10)).isEmpty();
    }
  }

  /**
   * All of them. {@code -Dofi4j.part=3/40} is the third part of forty, {@code -Dofi4j.course} how
   * the names of all begin, {@code -Dofi4j.places} how many steps of each place there are, {@code
   * -Dofi4j.death} the name of a single one.
   */
  @Test
  @Tag("long")
  @Timeout(value = 5, unit = TimeUnit.HOURS)
  void anybodySurvivesAnyDeath() throws IOException {
    String[] part = System.getProperty("ofi4j.part", "1/1").split("/", -1);
    String death = System.getProperty("ofi4j.death");
    try (HaltedProduct product = new HaltedProduct(files, SEED)) {
      List<String> failures =
          death != null
              ? product.one(death)
              : product.part(
                  Integer.getInteger("ofi4j.places", 3),
                  System.getProperty("ofi4j.course", ""),
                  Integer.parseInt(part[0]) - 1,
                  Integer.parseInt(part[1]));
      assertThat(failures).isEmpty();
    }
  }
}
