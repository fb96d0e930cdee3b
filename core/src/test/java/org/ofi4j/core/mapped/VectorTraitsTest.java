// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.testing.TestDomain;

/** Processes that open a vector agree on its traits. */
class VectorTraitsTest {
  private static final VectorTraits TRAITS = new VectorTraits(1, 2, 1, 2, 3, 0, 0, 0, 100);

  @TempDir private Path directory;

  private final String name = "traits " + UUID.randomUUID();

  private NamedStore open(VectorTraits traits, boolean readOnly) {
    return NamedStore.open("lo", name, traits, readOnly, TestDomain.PATIENCE);
  }

  private void refused(String words, VectorTraits traits, boolean readOnly) {
    assertThatThrownBy(() -> open(traits, readOnly))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining(words)
        .hasMessageContaining(name);
  }

  @Test
  void otherTraitsOfANamedVectorAreRefusedByName() {
    try (NamedStore store = open(TRAITS, false)) {
      long base = store.handleBase();
      assertThat(base).isPositive();
      assertThat(base % 16).isZero();
      refused("class of API versions", new VectorTraits(2, 2, 1, 2, 3, 0, 0, 0, 0), false);
      refused("type", new VectorTraits(1, 1, 1, 2, 3, 0, 0, 0, 0), true);
      refused("duplicate policy", new VectorTraits(1, 2, 2, 2, 3, 0, 0, 0, 0), false);
      refused("address format", new VectorTraits(1, 2, 1, 3, 3, 0, 0, 0, 0), false);
      refused("rx_ctx_bits", new VectorTraits(1, 2, 1, 2, 4, 0, 0, 0, 0), false);
      refused("FI_AV_AUTH_KEY", new VectorTraits(1, 2, 1, 2, 3, 4, 0, 0, 0), false);
      refused("max_group_id", new VectorTraits(1, 2, 1, 2, 3, 0, 9, 0, 0), false);
      open(new VectorTraits(1, 2, 1, 2, 3, 0, 0, base, 100), true).close();
      VectorTraits apart = new VectorTraits(1, 2, 1, 2, 3, 0, 0, base + 16, 100);
      try (NamedStore other = open(apart, false)) {
        assertThat(other.handleBase()).as("serves who gave it").isEqualTo(base);
      }
    }
    // A process that was refused keeps no vector open.
    assertThat(NamedStore.names("lo")).doesNotContain(name);
  }

  @Test
  void traitsOfASavedVectorAreKept() {
    VectorTraits traits = new VectorTraits(3, 2, 1, 2, 4, 0, 9, 0x1000, 77);
    assertThat(VectorTraits.of(traits.toBytes())).isEqualTo(traits);
    assertThat(traits.withBase()).isEqualTo(traits);
    Path file = directory.resolve("saved");
    try (EntryStore store = EntryStore.open(77, true, traits.policy());
        Snapshot snapshot = new Snapshot(store, traits.options())) {
      snapshot.write(file, traits);
    }
    try (SavedStore saved = SavedStore.open(file, traits)) {
      assertThat(saved.handleBase()).isEqualTo(0x1000);
    }
    VectorTraits other = new VectorTraits(3, 2, 1, 2, 4, 0, 10, 0x1000, 77);
    assertThatThrownBy(() -> SavedStore.open(file, other))
        .hasMessageContaining("max_group_id", file.toString());
  }
}
