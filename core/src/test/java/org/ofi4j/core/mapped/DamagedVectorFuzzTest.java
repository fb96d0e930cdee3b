// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.FabricException;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.VectorFiles;

/**
 * Files of a vector with any number of other bytes: the verifier comes to an end, and says what is
 * wrong or refuses with a reason. Every build replays the inputs that are kept in {@code
 * DamagedVectorFuzzTestInputs}; to look for new ones see {@link
 * org.ofi4j.core.address.AddressFuzzTest}.
 */
class DamagedVectorFuzzTest {
  private static final StoreOptions OPTIONS = Change.EMPTY_HOLES.options();
  private static final String CONTROL = "own/domain+vector.control";
  private static final String ENTRIES = "own/domain+vector.entries";

  @TempDir private static Path directory;

  private static byte[] control;
  private static byte[] entries;

  @BeforeAll
  static void fill() throws IOException {
    Path made = Files.createDirectory(directory.resolve("made"));
    try (NamedStore store = NamedStore.of(NamedStores.vector(made, OPTIONS, false), OPTIONS)) {
      store.begin();
      Change.EMPTY_HOLES.prepare(store);
      store.end();
      control = Files.readAllBytes(made.resolve(CONTROL));
      entries = Files.readAllBytes(made.resolve(ENTRIES));
      // Everything is made with the modes that it needs.
      Path copy = Files.createDirectory(directory.resolve("copy"));
      Soundness.check(made);
      Path own = made.resolve("own");
      Files.copy(own, copy.resolve("own"), StandardCopyOption.COPY_ATTRIBUTES);
      for (Path file : VectorFiles.of(own)) {
        Files.copy(file, copy.resolve(made.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  @AfterAll
  static void forget() {
    control = new byte[0];
    entries = new byte[0];
  }

  @FuzzTest(maxDuration = "2h", maxExecutions = 1_000_000)
  void anyBytes(FuzzedDataProvider data) throws IOException {
    byte[] otherControl = changed(control, data);
    byte[] otherEntries = changed(entries, data);
    Path copy = directory.resolve("copy");
    Files.write(copy.resolve(CONTROL), otherControl);
    Files.write(copy.resolve(ENTRIES), otherEntries);
    try {
      SharedVectorReport report = Soundness.look(copy);
      boolean same = Arrays.equals(otherControl, control) && Arrays.equals(otherEntries, entries);
      if (same && !report.isSound()) {
        throw new AssertionError("nothing is wrong: " + report);
      }
    } catch (FabricException refused) {
      if (String.valueOf(refused.getMessage()).isEmpty()) {
        throw new AssertionError("without a reason", refused);
      }
    }
  }

  /** Puts words where words are, as most of what is in the files is numbers. */
  private static byte[] changed(byte[] bytes, FuzzedDataProvider data) {
    byte[] other = bytes.clone();
    int times = data.consumeInt(0, 8);
    for (int i = 0; i < times && data.remainingBytes() > 0; i++) {
      int at = data.consumeInt(0, bytes.length / 4 - 1) * 4;
      int value = data.consumeInt();
      for (int b = 0; b < 4; b++) {
        other[at + b] = (byte) (value >>> (8 * b));
      }
    }
    if (data.consumeInt(0, 7) == 7) {
      return Arrays.copyOf(other, data.consumeInt(0, other.length));
    }
    return other;
  }
}
