// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.process.FreshJvm;
import org.ofi4j.benchmarks.vector.AddressParts;
import org.ofi4j.benchmarks.vector.VectorFactory;

/**
 * What a {@link FreshJvm} can do with named vectors.
 *
 * <pre>
 *   make NAME PEERS FILE            makes a vector, which stays open, and saves a copy
 *   open NAME PEERS FILE ROUNDS     {@link OpeningRounds}
 *   lookups NAME PEERS ROUNDS       {@link SharingLookups}
 *   process WHAT ...                {@link SharingProcess}
 *   writer WHAT ...                 {@link SharingWriter}
 * </pre>
 */
final class NamedJvm implements FreshJvm.Commands {
  private final FigureSink figures = FreshJvm.figures();
  private final VectorFactory domain = VectorFactory.sharing(Family.IPV4);
  private final SharingProcess process = new SharingProcess(figures, domain);
  private final List<AddressVector> open = new ArrayList<>();
  private boolean hasOpened;
  private @Nullable SharingWriter writer;

  private NamedJvm() {}

  /** Obeys until standard input ends. */
  public static void main(String[] arguments) throws InterruptedException {
    FreshJvm.run(new NamedJvm());
  }

  @Override
  public String obey(String[] words) throws IOException {
    switch (words[0]) {
      case "make" -> {
        AddressVector vector = domain.open(VectorOptions.table().withName(words[1]));
        open.add(vector);
        AddressParts.fill(vector, AddressPattern.SCATTERED, number(words[2]));
        vector.save(Path.of(words[3]));
      }
      case "open" -> {
        OpeningRounds rounds =
            new OpeningRounds(figures, domain, words[1], Path.of(words[3]), number(words[2]));
        rounds.warmUp(!hasOpened);
        hasOpened = true;
        rounds.run(number(words[4]));
      }
      case "lookups" ->
          new SharingLookups(figures, words[1], number(words[2]), number(words[3])).run();
      case "process" -> process.obey(words);
      case "writer" -> {
        if (words[1].equals("open")) {
          writer = new SharingWriter(domain, words[2], number(words[3]), number(words[4]));
        } else {
          Objects.requireNonNull(writer, "no writer").obey(words, figures);
        }
      }
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
    return "";
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }
}
