// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file behind the memory of a connection. */
class ConnectionFileTest {
  private static final int CAPACITY = 1 << 13;

  @TempDir Path directory;

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  @DisplayName("The file is for this user alone, and gone when its other end has opened it")
  void names() throws IOException {
    try (ConnectionFile made = ConnectionFile.make(directory, CAPACITY)) {
      Path file = files().getFirst();
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(file).hasFileName(HexFormat.of().toHexDigits(made.name()) + ".connection");
      assertThat(made.isJoined()).isFalse();
      try (ConnectionFile joined = ConnectionFile.join(directory, made.name())) {
        assertThat(files()).isEmpty();
        assertThat(made.isJoined()).isTrue();
        assertThat(joined.isJoined()).isTrue();
      }
      assertThatThrownBy(() -> ConnectionFile.join(directory, made.name()))
          .isInstanceOf(NoSuchFileException.class);
    }
  }

  private static void write(Ring ring, int... bytes) throws IOException {
    ByteBuffer from = ByteBuffer.allocate(bytes.length);
    for (int each : bytes) {
      from.put((byte) each);
    }
    ring.put(from.flip());
    ring.publish();
  }

  @Test
  @DisplayName("Each end reads what the other one writes")
  void connects() throws IOException {
    try (ConnectionFile made = ConnectionFile.make(directory, CAPACITY);
        ConnectionFile joined = ConnectionFile.join(directory, made.name())) {
      write(made.out(), 1, 2);
      write(joined.out(), 3);
      ByteBuffer there = ByteBuffer.allocate(10);
      ByteBuffer back = ByteBuffer.allocate(10);
      assertThat(joined.in().read(there)).isEqualTo(2);
      assertThat(made.in().read(back)).isEqualTo(1);
      assertThat(there.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
      assertThat(back.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {3}));
    }
  }

  @Test
  @DisplayName("A file that its other end has not opened is removed when its maker closes it")
  void unused() throws IOException {
    ConnectionFile.make(directory, CAPACITY).close();
    assertThat(files()).isEmpty();
  }

  @Test
  @DisplayName("Files of makers that were killed are removed after a minute, and no others")
  void stale() throws IOException {
    try (ConnectionFile present = ConnectionFile.make(directory, CAPACITY)) {
      Path old = Files.createFile(directory.resolve("0123456789abcdef.connection"));
      Path other = Files.createFile(directory.resolve("other"));
      FileTime before =
          FileTime.from(Instant.now().minus(ConnectionFile.STALE).minus(Duration.ofSeconds(1)));
      Files.setLastModifiedTime(old, before);
      Files.setLastModifiedTime(other, before);
      ConnectionFile.removeStale(directory);
      assertThat(old).doesNotExist();
      assertThat(other).exists();
      assertThat(present.isJoined()).isFalse();
      assertThat(files()).hasSize(2);
    }
  }

  private void refuses(int at, int... bytes) throws IOException {
    try (ConnectionFile made = ConnectionFile.make(directory, CAPACITY)) {
      Path file = files().getFirst();
      try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
        ByteBuffer wrong = ByteBuffer.allocate(bytes.length);
        for (int each : bytes) {
          wrong.put((byte) each);
        }
        channel.position(at).write(wrong.flip());
      }
      assertThatThrownBy(() -> ConnectionFile.join(directory, made.name()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is no memory of a connection");
      assertThat(made.isJoined()).isFalse();
    }
  }

  @Test
  @DisplayName("Files with another mark, name, version or capacity are refused")
  void foreignFiles() throws IOException {
    refuses(0, 1);
    refuses(8, 1, 2, 3, 4, 5, 6, 7, 8);
    refuses(16, 9, 9, 9, 9);
    refuses(20, 0, 0, 0, 0);
    refuses(20, 1, 2, 3, 4);
    refuses(20, 0xFF, 0xFF, 0xFF, 0xFF);
  }

  @Test
  @DisplayName("A file that is shorter than its capacity says is refused")
  void cutFile() throws IOException {
    try (ConnectionFile made = ConnectionFile.make(directory, CAPACITY)) {
      try (var channel = Files.newByteChannel(files().getFirst(), StandardOpenOption.WRITE)) {
        channel.truncate(1 << 13);
      }
      assertThatThrownBy(() -> ConnectionFile.join(directory, made.name()))
          .hasMessageContaining("is no memory of a connection");
    }
  }

  @Test
  @DisplayName("A link is not followed")
  void link() throws IOException {
    Path target = Files.createFile(directory.resolve("target"));
    Files.createSymbolicLink(directory.resolve("0000000000000007.connection"), target);
    assertThatThrownBy(() -> ConnectionFile.join(directory, 7)).isInstanceOf(IOException.class);
    assertThat(target).exists();
  }

  @Test
  @DisplayName("Without a directory there is no memory, and no file is left")
  void noDirectory() {
    assertThatThrownBy(() -> ConnectionFile.make(directory.resolve("none"), CAPACITY))
        .isInstanceOf(IOException.class);
  }
}
