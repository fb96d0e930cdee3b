// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.VectorFiles;

/** Who comes, goes, fails or dies just when others do: files are neither lost nor left. */
class MembershipTest {
  private static final byte[] TRAITS = NamedVectorTest.TRAITS;
  private static final int INODE = 56;

  @TempDir private Path parent;

  private ShareDirectory directory;
  private Path control;

  @BeforeEach
  void name() {
    directory = ShareDirectory.at(parent.resolve("own"));
    control = directory.control("lo", "x");
  }

  private NamedVector open(boolean readOnly) {
    return open(readOnly, TestDomain.PATIENCE, file -> {});
  }

  private NamedVector open(boolean readOnly, Duration patience, Consumer<VectorFile> founder) {
    return NamedVector.open(directory, "lo", "x", TRAITS, readOnly, patience, founder);
  }

  private List<String> files() throws IOException {
    return VectorFiles.names(directory.path());
  }

  private static void assertLate(NamedVector late) {
    long deadline = Waiting.deadline(TestDomain.PATIENCE);
    assertThatThrownBy(() -> late.join("lo", "x", TRAITS, file -> {}, deadline))
        .isInstanceOf(NoSuchFileException.class);
  }

  private static PathLock lock(Path path) {
    return PathLock.acquire(path, Waiting.deadline(TestDomain.PATIENCE));
  }

  /** They have opened a control file that was empty yet, and is another one by now. */
  @Test
  @Tag("AV-041")
  void whoComesLateLeavesTheVectorAlone() throws IOException {
    Files.createFile(control, ShareDirectory.OWN_FILE);
    List<NamedVector> late = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      late.add(NamedVector.at(directory, control, "x", i > 0, TestDomain.PATIENCE));
    }
    Files.delete(control);
    assertLate(late.removeLast());
    try (NamedVector vector = open(false);
        Membership remover = late.removeLast().membership) {
      List<String> files = List.of("lo+x.control", "lo+x.entries");
      assertThat(files()).isEqualTo(files);
      assertLate(late.removeLast());
      assertThat(files()).isEqualTo(files);
      assertLate(late.removeLast());
      assertThat(files()).isEqualTo(files);
      assertThatThrownBy(() -> remover.deleteIfDead("x", System.nanoTime()))
          .isInstanceOf(NoSuchFileException.class);
      assertThat(files()).isEqualTo(files);
      vector.entries().close();
    }
    assertThat(files()).isEmpty();
  }

  /** Whoever makes the file may not have come to founding the vector yet. */
  @Test
  @Tag("AV-048")
  void readersLeaveAnEmptyControlFileToItsMaker() throws IOException {
    Files.createFile(control, ShareDirectory.OWN_FILE);
    assertThatThrownBy(() -> open(true)).hasMessageContaining("ENOENT");
    assertThat(files()).containsExactly("lo+x.control");
    open(false).close();
    assertThat(files()).isEmpty();
  }

  /** The second of two that leave at once looks when the first has released the guard. */
  @Test
  void aPlaceIsLeftBeforeTheFileIsClosed() throws IOException {
    Files.createFile(control, ShareDirectory.OWN_FILE);
    try (ControlFile file = new ControlFile(control);
        ControlFile other = new ControlFile(control)) {
      file.clear();
      Membership first = new Membership(file);
      first.enter();
      first.leavePlace(true);
      assertThat(new Membership(other).hasOthers()).isFalse();
      assertThat(file.participant(0)).isZero();
    }
  }

  @Test
  void whatFailsLeavesNoFiles() throws IOException {
    for (Throwable failure : List.of(new OutOfMemoryError("full"), new IllegalStateException())) {
      assertThatThrownBy(() ->
              open(
                  false,
                  TestDomain.PATIENCE,
                  file -> MembershipTest.<RuntimeException>fail(failure)))
          .isSameAs(failure);
      assertThat(files()).isEmpty();
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void fail(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  void whatIsGoneIsNotMadeByOpening() throws IOException {
    assertThatThrownBy(() -> new ControlFile(control)).isInstanceOf(NoSuchFileException.class);
    assertThat(files()).isEmpty();
    Path target = Files.createFile(parent.resolve("target"), ShareDirectory.OWN_FILE);
    Files.createSymbolicLink(control, target);
    assertThatThrownBy(() -> new ControlFile(control)).isInstanceOf(IOException.class);
    assertThat(target).isEmptyFile();
  }

  /** A thread that is interrupted keeps its locks, and stays interrupted. */
  @Test
  void interruptionIsNoObstacle() throws IOException {
    Thread.currentThread().interrupt();
    try (NamedVector vector = open(false)) {
      NamedVectorTest.begin(vector);
      vector.locks().end();
      assertThat(vector.dead()).isEmpty();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void placesOfTheDeadAreInherited() throws IOException {
    Files.createFile(control, ShareDirectory.OWN_FILE);
    try (ControlFile file = new ControlFile(control)) {
      file.clear();
      for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
        file.participant(i, 99, 1);
      }
      Membership heir = new Membership(file);
      heir.enter();
      int place = heir.locks.place;
      assertThat(heir.isAlive(place)).isTrue();
      assertThat(heir.dead())
          .as("reservations are there in the name of any of them")
          .hasSize(ControlFile.PARTICIPANTS)
          .contains(place);
      heir.leavePlace(true);
      assertThat(file.participant(place)).as("nobody has ended them").isNotZero();

      heir.enter();
      heir.forget(List.of(place, 7));
      assertThat(heir.dead()).hasSize(ControlFile.PARTICIPANTS - 2).doesNotContain(place, 7);
      assertThat(file.participant(place)).as("alive").isNotZero();
      assertThat(file.participant(7)).isZero();
      heir.leavePlace(true);
      assertThat(file.participant(place)).isZero();
    }
  }

  /** Others would take the dead writer for the process that has its place. */
  @Test
  void placeOfAnInterruptedWriterIsNotInherited() throws IOException {
    Files.createFile(control, ShareDirectory.OWN_FILE);
    try (ControlFile file = new ControlFile(control)) {
      file.clear();
      for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
        file.participant(i, 99, 1);
      }
      file.memory.set(JAVA_LONG, ControlFile.WRITER, VectorLocks.word(99, 0));
      Membership heir = new Membership(file);
      heir.enter();
      assertThat(heir.locks.place).isEqualTo(1);
      heir.leavePlace(true);
    }
  }

  /** The lock was dropped by other code before the word was stored, and another process had it. */
  @Test
  void changeWaitsForAnotherOneThatHasBegun() throws IOException {
    Files.createFile(control, ShareDirectory.OWN_FILE);
    AtomicInteger attempts = new AtomicInteger();
    long other = VectorLocks.word(99, 5);
    try (ControlFile file = new ControlFile(control)) {
      file.clear();
      VectorLocks locks =
          new VectorLocks(file) {
            @Override
            void checkAttached() {
              if (attempts.getAndIncrement() == 0) {
                file.memory.set(JAVA_LONG, ControlFile.WRITER, other);
              }
            }
          };
      locks.attach(0, 1);
      boolean died = locks.begin(Waiting.deadline(TestDomain.PATIENCE));
      assertThat(attempts).hasValue(2);
      assertThat(died).as("the other one has died").isTrue();
      assertThat(locks.writer()).isEqualTo(VectorLocks.word(ControlFile.PROCESS, 0));
      locks.end();
      assertThat(locks.writer()).isZero();

      locks.begin(Waiting.deadline(TestDomain.PATIENCE));
      file.memory.set(JAVA_LONG, ControlFile.WRITER, other);
      assertThatThrownBy(locks::end).hasMessageContaining("EIO (5)");
      assertThat(locks.writer()).isEqualTo(other);
      assertThat(locks.changes()).isEqualTo(1);
    }
  }

  /** Nothing keeps the lock of all writers that does not end. */
  @ParameterizedTest
  @ValueSource(longs = {0, 4096, ControlFile.BYTES - 1})
  @Tag("AV-039")
  void aControlFileThatWasCutIsTold(long length) throws Exception {
    NamedVector vector = open(false);
    try {
      try (var file = Files.newByteChannel(control, StandardOpenOption.WRITE)) {
        file.truncate(length);
      }
      for (int i = 0; i < 2; i++) {
        CompletableFuture<Void> call =
            CompletableFuture.runAsync(
                () ->
                    assertThatThrownBy(() -> NamedVectorTest.begin(vector))
                        .isInstanceOfSatisfying(
                            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
                        .hasMessageContaining("lo+x"),
                task -> Thread.ofPlatform().daemon().start(task));
        call.get();
      }
    } finally {
      vector.close();
    }
    assertThat(files()).isEmpty();
  }

  /** Whoever removed the vector died in the middle of it. */
  @Test
  void whatSaysThatItIsGoneIsMadeAnew() throws IOException {
    byte[] left;
    try (NamedVector vector = open(false)) {
      assertThat(vector.repairs()).isZero();
      left = Files.readAllBytes(control);
    }
    MemorySegment.ofArray(left).set(ValueLayout.JAVA_LONG_UNALIGNED, INODE, -1);
    Files.createFile(control, ShareDirectory.OWN_FILE);
    Files.write(control, left);
    assertThatThrownBy(() -> open(true)).hasMessageContaining("ENOENT");
    try (NamedVector vector = open(false)) {
      assertThat(vector.repairs()).isZero();
      assertThat(vector.otherProcesses()).isEmpty();
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void patienceHasNoEnd() throws IOException {
    for (Duration patience : List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(99_999))) {
      try (NamedVector vector = open(false, patience, file -> {})) {
        NamedVectorTest.begin(vector);
        vector.locks().end();
        assertThat(vector.dead()).isEmpty();
      }
      NamedVector.open(directory, "lo", "y", TRAITS, false, patience, file -> {}).close();
    }
    assertThat(files()).isEmpty();
  }

  /** Who waits for one vector keeps nobody from another. */
  @Test
  void vectorsAreOpenedBesideEachOther() throws Exception {
    try (PathLock _ = lock(directory.control("lo", "y").toAbsolutePath())) {
      CompletableFuture.runAsync(
              () -> open(false).close(), task -> Thread.ofPlatform().daemon().start(task))
          .get();
    }
  }

  /** One of them that is slow keeps others waiting for as long as other processes would. */
  @Test
  void threadsWaitForEachOtherNoLongerThanForProcesses() throws Exception {
    try (NamedVector vector = open(false, Duration.ofMillis(100), file -> {})) {
      try (PathLock _ = lock(control.toAbsolutePath())) {
        CompletableFuture.runAsync(
                () -> {
                  for (Runnable use :
                      List.<Runnable>of(
                          vector::dead,
                          () -> open(true, Duration.ofMillis(100), file -> {}),
                          () -> NamedVector.unlink(directory, "lo", "x", Duration.ofMillis(100)))) {
                    assertThatThrownBy(use::run)
                        .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.EAGAIN))
                        .hasMessageContaining("thread of this process");
                  }
                  vector.forgetDead(false, dead -> {});
                },
                task -> Thread.ofPlatform().daemon().start(task))
            .get();
      }
      assertThat(vector.dead()).isEmpty();
    }
    assertThat(files()).isEmpty();
  }

  @Test
  @Tag("AV-048")
  void removingNothingIsToldAsSuch() {
    assertThatThrownBy(() -> NamedVector.unlink(directory, "lo", "x", TestDomain.PATIENCE))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessageContaining("there is no vector \"x\"")
        .hasMessageNotContaining("create it first");
  }

  @AfterEach
  void nothingIsInterrupted() {
    assertThat(Thread.interrupted()).isFalse();
  }
}
