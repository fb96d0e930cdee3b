// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Searches;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;
import org.ofi4j.core.testing.Rounds;

/**
 * Processes change one named vector at random and are killed at random. What they said was done is
 * there, what they said they were about to do is there or not, and nothing else is. {@code
 * -Dofi4j.kills=N} kills more of them.
 */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreKillTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int KILLS = Rounds.of("ofi4j.kills", 2, 4);
  private static final int WRITERS = 3;

  /** 4 lets writers be compiled as far as they can be, which takes longer to start. */
  private static final int COMPILER = Integer.getInteger("ofi4j.compiler", 1);

  @TempDir private Path directory;

  private final List<Writer> running = new ArrayList<>();

  /** A process, and what it said. */
  private static final class Writer {
    final int number;
    final Process process;
    final Path errors;
    final Thread listener;

    /** What it is sure to have: index by address. */
    final Map<Long, Integer> entries = new HashMap<>();

    /** What it may have or not. */
    final Set<Long> uncertain = new HashSet<>();

    private final Map<Integer, Long> byIndex = new HashMap<>();
    private String begun = "";
    private final AtomicInteger changes = new AtomicInteger();
    private volatile Throwable failure;

    Writer(int number, Path directory) throws IOException {
      this.number = number;
      this.errors = directory.resolve("errors" + number);
      this.process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=" + COMPILER,
                  "-cp",
                  Jvm.classPath(),
                  NamedStoreWriter.class.getName(),
                  directory.toString(),
                  Integer.toString(number))
              .redirectError(errors.toFile())
              .start();
      this.listener = Thread.ofPlatform().daemon().start(this::listen);
    }

    private void listen() {
      try (BufferedReader lines = process.inputReader()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          hear(line);
        }
      } catch (IOException e) {
        failure = new UncheckedIOException(e);
      } catch (RuntimeException | AssertionError e) {
        failure = e;
      }
      // What was begun and not said to be done.
      if (begun.startsWith("+")) {
        for (String word : begun.substring(1).split(" ", -1)) {
          uncertain.add(Long.valueOf(word));
        }
      } else if (begun.startsWith("-")) {
        for (String index : begun.substring(1).split(" ", -1)) {
          Long word = byIndex.remove(Integer.valueOf(index));
          if (word != null) {
            entries.remove(word);
            uncertain.add(word);
          }
        }
      }
    }

    private void hear(String line) {
      if (!line.startsWith("=")) {
        begun = line;
        return;
      }
      String[] what = begun.substring(1).split(" ", -1);
      String[] outcomes = line.substring(1).split(" ", -1);
      if (what.length != outcomes.length) {
        return; // cut off by the kill
      }
      for (int i = 0; i < what.length; i++) {
        int outcome = Integer.parseInt(outcomes[i]);
        if (begun.startsWith("+")) {
          assertThat(outcome).isNotNegative();
          entries.put(Long.valueOf(what[i]), outcome);
          byIndex.put(outcome, Long.valueOf(what[i]));
        } else {
          assertThat(outcome).as("removal of %s", what[i]).isZero();
          entries.remove(byIndex.remove(Integer.valueOf(what[i])));
        }
      }
      begun = "";
      changes.incrementAndGet();
    }

    void awaitChanges(int more) throws IOException, InterruptedException {
      int wanted = changes.get() + more;
      while (changes.get() < wanted && failure == null && process.isAlive()) {
        Thread.sleep(1);
      }
      assertThat(failure).as("what writer %s said", number).isNull();
      if (!process.isAlive()) {
        fail(
            "writer %s ended with %s after %s changes: %s",
            number, process.waitFor(), changes, Files.readString(errors));
      }
    }

    void kill() throws InterruptedException {
      // By its handle: the process itself would close the stream, with lines in it that count.
      process.toHandle().destroyForcibly();
      process.waitFor();
      listener.join();
      assertThat(failure).as("what writer %s said", number).isNull();
    }
  }

  @Test
  void nothingIsLostAndNothingIsHalf() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    List<Writer> dead = new ArrayList<>();
    StoreOptions options = NamedStoreWriter.OPTIONS;
    try (NamedStore store = NamedStore.of(NamedStores.vector(directory, options, false), options);
        NamedStore reader = NamedStore.of(NamedStores.vector(directory, options, true), options)) {
      int started = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        while (running.size() < WRITERS) {
          running.add(new Writer(++started, directory));
        }
        Writer victim = running.remove(random.nextInt(running.size()));
        victim.awaitChanges(random.nextInt(20, 400));
        Thread.sleep(0, random.nextInt(1_000_000));
        victim.kill();
        store.begin();
        store.end();
        dead.add(victim);
        for (Writer one : dead) {
          check(one, kill % 2 == 0 ? store : reader);
        }
      }
      for (Writer last : running) {
        last.kill();
        dead.add(last);
      }
      running.clear();
      store.begin();
      store.end();
      checkAll(dead, store);
      checkAll(dead, reader);
    } catch (AssertionError e) {
      throw new AssertionError("repeat with -Dofi4j.seed=" + SEED + ": " + e.getMessage(), e);
    } finally {
      for (Writer writer : running) {
        writer.kill();
      }
    }
  }

  private static void check(Writer writer, EntryStore store) {
    // Without a description for each: there are many.
    writer.entries.forEach((word, index) -> {
      if (Searches.find(store, word) != index || store.ipv4(index) != word) {
        fail(
            "%x of writer %s at %s: found at %s, and there is %x",
            word, writer.number, index, Searches.find(store, word), store.ipv4(index));
      }
    });
    for (long word : writer.uncertain) {
      int index = Searches.find(store, word);
      if (index >= 0) {
        assertThat(store.ipv4(index)).isEqualTo(word);
      }
    }
  }

  private static void checkAll(List<Writer> writers, EntryStore store) {
    Set<Long> known = new HashSet<>();
    long sure = 0;
    for (Writer writer : writers) {
      check(writer, store);
      known.addAll(writer.entries.keySet());
      known.addAll(writer.uncertain);
      sure += writer.entries.size();
    }
    assertThat(sure).isPositive();
    long live = 0;
    for (int index = 0; index < store.capacity() + 100_000; index++) {
      long word = store.ipv4(index);
      if (word >= 0) {
        live++;
        if (!known.contains(word)
            || Searches.find(store, word) != index
            || store.count(index) != 1) {
          fail("ghost %x at %s, found at %s", word, index, Searches.find(store, word));
        }
      }
    }
    assertThat(store.size()).isEqualTo(live).isGreaterThanOrEqualTo(sure);
  }
}
