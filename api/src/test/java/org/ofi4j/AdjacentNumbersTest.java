// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two numbers of one type side by side can be exchanged, and the program still compiles: a tagged
 * message used to go to the peer that its tag named. Calls therefore take such numbers by name, in
 * a request, a builder or a value.
 *
 * <p>Constructors of records are left out: records are small values, and list what they consist of.
 */
class AdjacentNumbersTest {
  private static final Pattern ADJACENT = Pattern.compile("\\b(long, long|int, int)\\b(?!\\[)");

  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "org.ofi4j.CompletionHandler.completed",
          "applications implement it, and the queue calls it; an object for all values would be"
              + " allocated, or change under a handler that keeps it",
          "org.ofi4j.Handles.atReceiveContext",
          "the order of fi_rx_addr; AddressVector.atReceiveContext is the short form",
          "org.ofi4j.VectorSetOptions.range",
          "the first and the last entry: exchanged they are refused");

  @Test
  void callsNameNumbersThatCouldBeExchanged() throws IOException {
    Path signatures = Path.of(System.getProperty("basedir", ""), "signatures.txt");
    try (Stream<String> lines = Files.lines(signatures)) {
      assertThat(
              lines
                  .filter(line -> !line.endsWith(" : constructor"))
                  .filter(line -> ADJACENT.matcher(line).find())
                  .map(line -> line.substring(0, line.indexOf('(')))
                  .collect(Collectors.toSet()))
          .isEqualTo(EXCEPTIONS.keySet());
    }
  }
}
