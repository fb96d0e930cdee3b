// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.av.VectorFixture;
import org.ofi4j.core.share.GuardHolder;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;

/** A process that is stopped in the middle of a change is waited for, and never robbed. */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreStopTest {
  private static final Change CHANGE = Change.INSERT_RANGE;
  private static final int STEP = 300;

  @TempDir private Path directory;

  @Test
  void stoppedWriterIsWaitedFor() throws Exception {
    StoreOptions options = CHANGE.options();
    View after;
    try (HaltedTable table = new HaltedTable(directory.resolve("after"), CHANGE);
        NamedStore store =
            NamedStore.of(NamedStores.vector(table.directory, options, false), options)) {
      store.begin();
      CHANGE.apply(store);
      store.end();
      after = table.look();
    }
    try (HaltedTable table = new HaltedTable(directory.resolve("vector"), CHANGE)) {
      View before = table.look();
      Process writer =
          Jvm.start(
              HaltedWriter.class,
              null,
              "-Dhalt.waits=true",
              "-Dhalt.directory=" + table.directory,
              "-Dhalt.change=" + CHANGE,
              "-Dhalt.step=" + STEP);
      try (BufferedReader said = writer.inputReader()) {
        assertThat(said.readLine()).isEqualTo("here");
        Jvm.signal(writer, "STOP");
        othersReadAndDoNotWrite(table, writer, before, after);
        // Who has more patience writes as soon as the other one has come to its end.
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread patient = Thread.ofPlatform().start(() -> writeLater(table, failure));
        Jvm.signal(writer, "CONT");
        writer.outputWriter().append('\n').flush();
        assertThat(writer.waitFor()).isZero();
        patient.join();
        assertThat(failure.get()).isNull();
      } finally {
        writer.destroyForcibly();
      }
      assertThat(Soundness.check(table.directory).repairs()).isZero();
      View end = table.look();
      assertThat(end.entries())
          .hasSize(after.entries().size() + 1)
          .containsAllEntriesOf(after.entries());
    }
  }

  private static void othersReadAndDoNotWrite(
      HaltedTable table, Process writer, View before, View after) throws Exception {
    StoreOptions options = CHANGE.options();
    assertThat(table.look().strange(before, after)).isEmpty();
    Path files = table.directory.resolve("own");
    byte[] entries = Files.readAllBytes(files.resolve("domain+vector.entries"));
    NamedVector vector =
        NamedStores.vector(table.directory, options, false, Duration.ofMillis(200));
    try (NamedStore store = NamedStore.of(vector, options)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(store::begin)
            .isInstanceOfSatisfying(
                FabricException.class, late -> assertThat(late.errno()).isEqualTo(Errno.EAGAIN))
            .hasMessageContaining("process " + writer.pid())
            .hasMessageContaining("stopped");
      }
      whoWaitsBehindAnotherThreadIsToldTheSame(store, writer);
      assertThatThrownBy(() -> store.insert(new org.ofi4j.core.address.AddressKey()))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> Soundness.look(table.directory, Duration.ofMillis(200)))
          .hasMessageContaining("process " + writer.pid());
      assertThat(vector.otherProcesses()).contains(writer.pid());
      assertThat(vector.dead()).isEmpty();
    }
    assertThat(table.look().strange(before, after)).isEmpty();
    assertThat(vector.repairs()).isZero();
    assertThat(Files.readAllBytes(files.resolve("domain+vector.entries"))).isEqualTo(entries);
  }

  private static void whoWaitsBehindAnotherThreadIsToldTheSame(NamedStore store, Process writer)
      throws Exception {
    try (var others = Executors.newFixedThreadPool(3)) {
      List<Future<?>> late = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        late.add(
            others.submit(
                () -> VectorFixture.fails(Errno.EAGAIN, "process " + writer.pid(), store::begin)));
      }
      for (Future<?> each : late) {
        each.get();
      }
    }
  }

  @Test
  void whoCannotAskForTheDeadLeavesNothingToRepair() throws Exception {
    StoreOptions options = CHANGE.options();
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore store = NamedStore.of(vector, options);
        NamedStore impatient =
            NamedStore.of(
                NamedStores.vector(directory, options, false, Duration.ofMillis(200)), options)) {
      store.begin();
      CHANGE.prepare(store);
      store.end();
      Path control = directory.resolve("own/domain+vector.control");
      Process holder = Jvm.start(GuardHolder.class, (Path) null, List.of(control.toString()));
      try (BufferedReader said = holder.inputReader()) {
        assertThat(said.readLine()).isEqualTo("ready");
        VectorFixture.fails(Errno.EAGAIN, "attaches or leaves", impatient::begin);
        if (Files.isReadable(Path.of("/proc/locks"))) {
          VectorFixture.fails(Errno.EAGAIN, "process " + holder.pid(), impatient::begin);
        }
        assertThat(vector.writer()).isZero();
        store.begin();
        store.end();
      } finally {
        holder.destroyForcibly().waitFor();
      }
      impatient.begin();
      impatient.end();
      assertThat(vector.repairs()).as("repairs").isZero();
    }
  }

  /** The word in the file that names who writes is that of a writer that failed, or died. */
  @Test
  void whoWaitsIsToldWhoHasTheLockNow() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/locks")));
    try (NamedVector vector =
        NamedStores.vector(directory, CHANGE.options(), false, Duration.ofMillis(200))) {
      NamedStores.failChange(vector);
      assertThat(vector.writer()).isEqualTo(ProcessHandle.current().pid());
      Path control = directory.resolve("own/domain+vector.control");
      Process holder =
          Jvm.start(GuardHolder.class, (Path) null, List.of(control.toString(), "writer"));
      try (BufferedReader said = holder.inputReader()) {
        assertThat(said.readLine()).isEqualTo("ready");
        VectorFixture.fails(
            Errno.EAGAIN, "process " + holder.pid(), () -> NamedStores.begin(vector));
        assertThat(vector.locks().late()).hasMessageContaining("process " + holder.pid());
      } finally {
        holder.destroyForcibly().waitFor();
      }
      assertThat(NamedStores.begin(vector)).isTrue();
      vector.locks().end();
    }
  }

  private static void writeLater(HaltedTable table, AtomicReference<Throwable> failure) {
    StoreOptions options = CHANGE.options();
    try (NamedStore store =
        NamedStore.of(NamedStores.vector(table.directory, options, false), options)) {
      store.begin();
      Change.INSERT_IPV4.apply(store);
      store.end();
    } catch (Throwable failed) {
      failure.set(failed);
    }
  }
}
