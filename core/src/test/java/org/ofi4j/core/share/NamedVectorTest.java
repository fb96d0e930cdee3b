// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.ExitHook;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.VectorFiles;

/** Files of named vectors: who may open them, what they must be like, when they go. */
class NamedVectorTest {
  static final byte[] TRAITS =
      "x".repeat(FileHeader.TRAITS_BYTES).getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path parent;

  private ShareDirectory directory() {
    return ShareDirectory.at(parent.resolve("own"));
  }

  private NamedVector open(String name, byte[] traits, boolean readOnly) {
    return NamedVector.open(
        directory(), "lo", name, traits, readOnly, TestDomain.PATIENCE, file -> {});
  }

  /** Waits for the lock of all writers for as long as the opening does, and takes it. */
  static boolean begin(NamedVector vector) {
    return vector.locks().begin(Waiting.deadline(vector.lockTimeout()));
  }

  private List<String> files() throws IOException {
    return VectorFiles.names(directory().path());
  }

  private static void refused(Errno errno, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.errno()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  @Test
  @Tag("AV-041")
  void lastToLeaveTakesTheFilesAway() throws IOException {
    try (NamedVector first = open("x", TRAITS, false)) {
      try (NamedVector second = open("x", TRAITS, false);
          NamedVector reader = open("x", TRAITS, true)) {
        assertThat(second.repairs()).isEqualTo(first.repairs()).isZero();
        assertThat(reader.participant()).isEqualTo(first.participant());
        assertThat(reader.otherProcesses()).isEmpty();
      }
      assertThat(files()).containsExactly("lo+x.control", "lo+x.entries");
      for (String file : files()) {
        assertThat(Files.getPosixFilePermissions(directory().path().resolve(file)))
            .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      }
    }
    assertThat(files()).isEmpty();
  }

  /** However often vectors are opened, the end of the process is told once to look for them. */
  @Test
  @Tag("AV-039")
  void nothingStaysForTheEndOfTheProcess() {
    NamedVector one = open("x", TRAITS, false);
    NamedVector other = open("y", TRAITS, false);
    one.close();
    assertThat(ExitHook.isRegistered()).isTrue();
    other.close();
    assertThat(ExitHook.isRegistered()).isFalse();
  }

  @Test
  @Tag("AV-048")
  void readersNeedAVectorThatIsThere() throws IOException {
    refused(Errno.ENOENT, "\"nope\"", () -> open("nope", TRAITS, true));
    assertThat(files()).isEmpty();
  }

  @Test
  void namesAreKeptApart() throws IOException {
    try (NamedVector plain = open("a+b", TRAITS, false);
        NamedVector path = open("../a/b", TRAITS, false);
        NamedVector odd = open("ä %2B", TRAITS, false);
        NamedVector large = open("x".repeat(5000), TRAITS, false)) {
      assertThat(files()).hasSize(8).allMatch(name -> name.length() < 255);
      try (Stream<Path> beside = Files.list(parent)) {
        assertThat(beside).hasSize(1);
      }
      assertThat(List.of(plain, path, odd, large)).doesNotHaveDuplicates();
    }
    assertThat(ShareDirectory.fileName("a", "b+c"))
        .isNotEqualTo(ShareDirectory.fileName("a+b", "c"));
  }

  @Test
  void foreignFilesAreNoVectors() throws IOException {
    try (NamedVector vector = open("a%b", TRAITS, false)) {
      for (String foreign : List.of("", "%zz", "%4", "x%41", "y.z", "%ff")) {
        Files.createFile(directory().path().resolve("lo+" + foreign + ".control"));
      }
      assertThat(vector.isReadOnly()).isFalse();
      assertThat(directory().names("lo")).containsExactly("a%b");
    }
  }

  @Test
  void isOneVectorByWhicheverWayToItsDirectory() throws IOException {
    Path link = Files.createSymbolicLink(parent.resolve("link"), parent);
    try (NamedVector vector = open("x", TRAITS, false)) {
      for (Path way : List.of(link.resolve("own"), parent.resolve("./own"))) {
        NamedVector.open(
                ShareDirectory.at(way), "lo", "x", TRAITS, false, TestDomain.PATIENCE, file -> {})
            .close();
      }
      assertThat(vector.otherProcesses()).isEmpty();
    }
  }

  @Test
  void traitsAreThoseOfTheMaker() {
    try (NamedVector vector = open("x", TRAITS, false);
        NamedVector other = open("x", new byte[FileHeader.TRAITS_BYTES], false)) {
      assertThat(other.traits()).isEqualTo(vector.traits()).isEqualTo(TRAITS);
    }
  }

  @Test
  void whatOthersMayWriteIsNotTrusted() throws IOException {
    Path open = Files.createDirectory(parent.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    refused(Errno.EACCES, "open to others", () -> ShareDirectory.at(open));
    refused(Errno.EACCES, "chmod 700 " + open + ", or set", () -> ShareDirectory.at(open));
    Path link = Files.createSymbolicLink(parent.resolve("link"), directory().path());
    refused(Errno.EACCES, "is a link", () -> ShareDirectory.at(link));
    Path target = Files.createFile(parent.resolve("target"));
    Files.createSymbolicLink(directory().control("lo", "x"), target);
    refused(Errno.EACCES, "is a link", () -> open("x", TRAITS, false));
    Path file = Files.createFile(directory().control("lo", "y"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    refused(Errno.EACCES, "open to others", () -> open("y", TRAITS, false));
    refused(Errno.EACCES, "chmod 600 ", () -> open("y", TRAITS, false));
  }

  @Test
  void deadVectorsAreMadeAnew() throws IOException {
    long id;
    Path control = directory().control("lo", "x");
    byte[] left;
    byte[] entries;
    try (NamedVector vector = open("x", TRAITS, false)) {
      left = Files.readAllBytes(parent.resolve("own").resolve("lo+x.control"));
      entries = Files.readAllBytes(parent.resolve("own").resolve("lo+x.entries"));
      id = MemorySegment.ofArray(left).get(JAVA_LONG.withByteAlignment(1), 16);
      assertThat(vector.traits()).isEqualTo(TRAITS);
    }
    // As if the process had died: the files are there, and nobody holds a lock.
    Files.createFile(control, ShareDirectory.OWN_FILE);
    Files.write(control, left);
    Path old = Files.createFile(parent.resolve("own/lo+x.entries"), ShareDirectory.OWN_FILE);
    Files.write(old, entries);
    refuseAbsentOrReplaced(control);
    try (NamedVector vector = open("x", TRAITS, false)) {
      assertThat(files()).containsExactly("lo+x.control", "lo+x.entries");
      byte[] made = Files.readAllBytes(old);
      assertThat(MemorySegment.ofArray(made).get(JAVA_LONG.withByteAlignment(1), 16))
          .isNotEqualTo(id);
      assertThat(vector.dead()).isEmpty();
    }
  }

  /** The inode tells that the file is another one; once it is right, that nobody is alive. */
  private void refuseAbsentOrReplaced(Path control) throws IOException {
    long inode = (Long) Files.getAttribute(control, "unix:ino");
    try (RandomAccessFile file = new RandomAccessFile(control.toFile(), "rw")) {
      file.seek(56);
      file.writeLong(
          java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.BIG_ENDIAN
              ? inode
              : Long.reverseBytes(inode));
    }
    refused(Errno.ENOENT, "\"x\"", () -> open("x", TRAITS, true));
  }

  /** Nothing of a change is so slow that it could not be done by who makes it. */
  @Test
  void changesMakeNoThreads() {
    int changes = 1_000;
    try (NamedVector vector = open("x", TRAITS, false)) {
      long before = new Thread(() -> {}).threadId();
      for (int i = 0; i < changes; i++) {
        begin(vector);
        vector.locks().end();
      }
      long after = new Thread(() -> {}).threadId();
      assertThat(after - before).as("numbers of threads, of others too").isLessThan(changes);
    }
  }

  @Test
  void oneWritesAtATime() throws InterruptedException {
    try (NamedVector vector = open("x", TRAITS, false);
        NamedVector other =
            NamedVector.open(
                directory(), "lo", "x", TRAITS, false, Duration.ofMillis(50), file -> {})) {
      assertThat(begin(vector)).isFalse();
      Thread impatient =
          Thread.ofPlatform()
              .start(() ->
                  refused(
                      Errno.EAGAIN,
                      String.valueOf(ProcessHandle.current().pid()),
                      () -> begin(other)));
      impatient.join();
      long changes = vector.locks().end();
      assertThat(begin(other)).isFalse();
      assertThat(other.locks().changes()).isEqualTo(changes);
      other.locks().fail();
      assertThat(begin(vector)).as("the last one failed").isTrue();
      vector.locks().end();
      assertThat(begin(other)).isFalse();
      other.locks().end();
    }
  }

  @Test
  void piecesAreFoundByOthersOnceCounted() {
    try (NamedVector vector = open("x", TRAITS, false);
        NamedVector reader = open("x", TRAITS, true);
        VectorFile file = vector.entries();
        VectorFile read = reader.entries()) {
      for (int i = 0; i < 2000; i++) {
        long bytes = 64L << i % 10;
        MemorySegment piece = file.allocate(bytes, i * 3);
        assertThat(read.pieces()).isEqualTo(i);
        assertThat(piece.get(JAVA_LONG, bytes - 8)).isZero();
        piece.set(JAVA_LONG, bytes - 8, i);
        file.count();
      }
      assertThat(read.pieces()).isEqualTo(2000);
      for (int i = 1999; i >= 0; i--) {
        long bytes = 64L << i % 10;
        assertThat(read.tag(i)).isEqualTo(i * 3);
        MemorySegment piece = read.piece(i, bytes);
        assertThat(piece.get(JAVA_LONG, bytes - 8)).isEqualTo(i);
        assertThat(piece.isReadOnly()).isTrue();
      }
    }
  }

  @Test
  void filesThatWereCutAreDamaged() throws IOException {
    try (NamedVector vector = open("x", TRAITS, false)) {
      Path entries = parent.resolve("own/lo+x.entries");
      try (RandomAccessFile file = new RandomAccessFile(entries.toFile(), "rw")) {
        file.setLength(10_000);
        refused(Errno.EIO, "is damaged", () -> vector.entries());
        file.setLength(100);
        refused(Errno.EIO, "is damaged", () -> vector.entries());
        file.setLength(100_000);
        file.seek(8);
        file.write(14);
        refused(Errno.EINVAL, "newer", () -> vector.entries());
        file.seek(0);
        file.write(9);
        refused(Errno.EINVAL, "is not one", () -> vector.entries());
      }
      Files.delete(entries);
      refused(Errno.EIO, "cannot be used", () -> vector.entries());
    }
  }
}
