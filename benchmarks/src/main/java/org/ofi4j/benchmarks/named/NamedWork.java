// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.process.FreshJvm;
import org.ofi4j.benchmarks.schedule.Prepared;
import org.ofi4j.benchmarks.vector.AddressList;
import org.ofi4j.benchmarks.vector.Subject;

/**
 * What a {@link FreshJvm} does with named vectors.
 *
 * <pre>
 *   make NAME PEERS FILE            makes a vector, which stays open, and saves a copy
 *   open NAME PEERS FILE ROUNDS     {@link OpeningRounds}
 *   lookups NAME PEERS ROUNDS       prepares {@link SharedLookups}
 *   measure                         measures what was prepared first
 *   process WHAT ...                {@link SharingProcess}
 *   writer WHAT ...                 {@link SharedWriter}
 * </pre>
 */
final class NamedWork {
  private static final int PART = 1_000_000;

  private final FigureSink figures;
  private final SharingDomain domain = new SharingDomain();
  private final List<AddressVector> open = new ArrayList<>();
  private final Queue<Prepared> prepared = new ArrayDeque<>();
  private boolean hasOpened;
  private @Nullable SharingProcess process;
  private @Nullable SharedWriter writer;

  NamedWork(FigureSink figures) {
    this.figures = figures;
  }

  /** Does what a line says. */
  void obey(String[] words) throws IOException, InterruptedException {
    switch (words[1]) {
      case "make" -> {
        AddressVector vector = domain.open(AvAttributes.table().name(words[2]));
        open.add(vector);
        fill(vector, AddressPattern.SCATTERED, number(words[3]));
        vector.save(Path.of(words[4]));
      }
      case "open" -> {
        OpeningRounds rounds =
            new OpeningRounds(figures, domain, words[2], Path.of(words[4]), number(words[3]));
        rounds.warmUp(!hasOpened);
        hasOpened = true;
        rounds.run(number(words[5]));
      }
      case "lookups" ->
          prepared.add(
              new SharedLookups(figures, domain, words[2], number(words[3]), number(words[4])));
      case "measure" -> {
        try (Prepared next = prepared.remove()) {
          next.measure();
        }
      }
      case "process" -> {
        if (process == null) {
          process = new SharingProcess(figures, domain);
        }
        process.obey(words);
      }
      case "writer" -> {
        if (words[2].equals("open")) {
          writer = new SharedWriter(domain, words[3], number(words[4]), number(words[5]));
        } else {
          Objects.requireNonNull(writer, "no writer").obey(words, figures);
        }
      }
      default -> throw new IllegalArgumentException("unknown command named " + words[1]);
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  /** Inserts so many addresses, in parts. */
  static void fill(AddressVector vector, AddressPattern pattern, int peers) {
    int most = Math.min(PART, peers);
    AddressList.Filler filler = AddressList.Filler.of(pattern, Family.IPV4, peers);
    try (Arena arena = Arena.ofConfined()) {
      AddressList part = AddressList.allocate(arena, Family.IPV4, most);
      MemorySegment handles = arena.allocate(8L * most, 64);
      for (int done = 0; done < peers; done += most) {
        AddressList some =
            new AddressList(Family.IPV4, part.packed(), Math.min(most, peers - done));
        some.fill(filler, done);
        int inserted = vector.insert(some.packed(), some.count(), handles, null, 0, null);
        Subject.check(inserted, some.count(), "addresses inserted");
      }
    }
  }
}
