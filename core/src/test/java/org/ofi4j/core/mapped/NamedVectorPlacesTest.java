// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;

/** Processes that died without leaving take no places away from those that come. */
class NamedVectorPlacesTest {
  private static final Change CONTENT = Change.INSERT_IPV4;
  private static final StoreOptions OPTIONS = CONTENT.options();
  private static final int FIRST = 1024;
  private static final int PLACES = 1024;

  @TempDir private Path directory;

  @Test
  @Tag("AV-041")
  void theDeadAreNoObstacle() throws Exception {
    List<String> arguments = List.of(directory.toString(), CONTENT.name());
    Process holder = Jvm.start(NamedVectorHolder.class, (Path) null, arguments);
    try (BufferedReader said = holder.inputReader()) {
      assertThat(said.readLine()).isEqualTo("ready");
      long before = reserved();
      NamedVector dying = NamedStores.vector(directory, OPTIONS, false);
      int reservedIndex;
      try (NamedStore store = NamedStore.of(dying, OPTIONS)) {
        store.begin();
        reservedIndex = store.reserve();
        store.reserve();
        store.end();
        dying.close(false);
      }
      assertThat(reservedIndex).isNotNegative();
      assertThat(reserved()).isEqualTo(before + 2);
      fillPlaces();

      NamedVector reader = NamedStores.vector(directory, OPTIONS, true);
      try (NamedStore readable = NamedStore.of(reader, OPTIONS)) {
        assertThat(reader.otherProcesses()).contains(holder.pid());
        assertThat(readable.isLive(reservedIndex)).isFalse();
        assertThat(reserved()).as("readers end nothing").isEqualTo(before + 2);
      }
      assertThat(reserved()).isEqualTo(before + 2);

      NamedVector writer = NamedStores.vector(directory, OPTIONS, false);
      try (NamedStore store = NamedStore.of(writer, OPTIONS)) {
        assertThat(reserved()).as("of the dead whose place this has").isEqualTo(before);
        assertThat(writer.dead()).isEmpty();
        store.begin();
        assertThat(store.reserve()).isNotNegative();
        store.end();
        store.begin();
        store.end();
        try (NamedStore second =
            NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS)) {
          second.begin();
          second.end();
          assertThat(reserved()).as("its own stay").isEqualTo(before + 1);
        }
      }
    } finally {
      holder.outputWriter().close();
      holder.waitFor();
    }
  }

  private long reserved() {
    return Soundness.check(directory).reserved();
  }

  /** As if as many processes as there can be had been killed. */
  private void fillPlaces() throws Exception {
    Path control = directory.resolve("own/domain+vector.control");
    byte[] bytes = Files.readAllBytes(control);
    ByteBuffer places = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    for (int at = FIRST; at < FIRST + 16 * PLACES; at += 16) {
      if (places.getLong(at) == 0) {
        places.putLong(at, 99).putLong(at + 8, 1);
      }
    }
    try (FileChannel file = FileChannel.open(control, StandardOpenOption.WRITE)) {
      file.write(places.position(FIRST), FIRST);
    }
  }
}
