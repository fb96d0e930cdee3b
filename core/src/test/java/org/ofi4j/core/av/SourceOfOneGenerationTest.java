// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.packed;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.ForwardingStore;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.FabricPeers;

/**
 * Where a message came from is one answer about one entry, whatever a writer does meanwhile: the
 * writer is let in before each single thing that a reader asks of the store.
 */
@Tag("AV-176")
@Tag("AV-191")
class SourceOfOneGenerationTest {
  private static final AddressCodec CODEC = AddressCodec.of(AddressFormat.SOCKADDR_IN);
  private static final FabricAddress PEER = a(1);
  private static final FabricAddress OTHER = a(2);
  private static final int MOST_STEPS = 20;

  private EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE);
  private final MessageSource source = new MessageSource();

  @AfterEach
  void close() {
    store.close();
  }

  private int insert(FabricAddress address, long id) {
    AddressKey key = new AddressKey();
    assertThat(CODEC.read(address, key)).isZero();
    int index = store.insert(key);
    assertThat(store.setUserId(index, id)).isZero();
    return index;
  }

  /** A reader that a writer overtakes once, before the reader's n-th look at the store. */
  private TransferPeers overtaken(int step, Runnable writer, boolean userIdsOnly) {
    // Looks while the vector is opened do not count.
    int[] looks = {Integer.MIN_VALUE};
    EntryStore watched =
        new ForwardingStore(store) {
          @Override
          protected EntryStore any() {
            if (looks[0]++ == step) {
              writer.run();
            }
            return super.any();
          }
        };
    TestDomain domain = TestDomain.of(TestInfo.defaults().capabilities(Capability.AV_USER_ID));
    VectorOptions options =
        userIdsOnly ? VectorOptions.table().withFlags(VectorFlag.USER_ID) : VectorOptions.table();
    TransferPeers peers =
        CoreAddressVector.open(
                domain,
                domain.lifetime(),
                options,
                FabricPeers.ANY,
                MemorySource::system,
                (_, _) -> watched)
            .peers();
    looks[0] = 0;
    return peers;
  }

  private void reopen() {
    store.close();
    store = EntryStore.open(0, true, DuplicatePolicy.SHARE);
  }

  @Test
  @DisplayName("D-40: the user id of the next entry is never taken for the peer's")
  void indexUsedAgain() {
    MemorySegment sender = packed(PEER);
    for (int step = 0; step < MOST_STEPS; step++) {
      reopen();
      insert(PEER, 0xAAAA);
      Runnable writer =
          () -> {
            store.remove(0);
            assertThat(insert(OTHER, 0xBBBB)).isZero();
          };
      boolean known = overtaken(step, writer, false).findSource(sender, source);
      assertThat(source.isKnown()).isEqualTo(known);
      assertThat(source.reported()).as("overtaken at look %d", step).isEqualTo(known ? 0xAAAA : NA);
    }
  }

  @Test
  @DisplayName("A peer that always had a user id is never reported by handle")
  void entryDies() {
    MemorySegment sender = packed(PEER);
    for (int step = 0; step < MOST_STEPS; step++) {
      reopen();
      insert(PEER, 0xAAAA);
      boolean known = overtaken(step, () -> store.remove(0), false).findSource(sender, source);
      assertThat(source.reported()).as("overtaken at look %d", step).isEqualTo(known ? 0xAAAA : NA);
    }
  }

  @Test
  @DisplayName(
      "A peer that moves to another index is known all the while, by its old id or its new")
  void peerMoves() {
    MemorySegment sender = packed(PEER);
    for (int step = 0; step < MOST_STEPS; step++) {
      reopen();
      insert(PEER, 0xAAAA);
      Runnable writer =
          () -> {
            store.remove(0);
            insert(OTHER, 0xBBBB);
            assertThat(insert(PEER, 0xCCCC)).isEqualTo(1);
          };
      assertThat(overtaken(step, writer, false).findSource(sender, source)).isTrue();
      assertThat(source.reported()).as("overtaken at look %d", step).isIn(0xAAAAL, 0xCCCCL);
    }
  }

  @Test
  @Tag("AV-096")
  @DisplayName("A known peer without user id and a stranger: both not available, but told apart")
  void knownWithoutId() {
    AddressKey key = new AddressKey();
    CODEC.read(PEER, key);
    store.insert(key);
    TransferPeers ids = overtaken(-1, () -> {}, true);
    assertThat(ids.findSource(packed(PEER), source)).isTrue();
    assertThat(source.isKnown()).isTrue();
    assertThat(source.reported()).isEqualTo(NA);
    assertThat(ids.findSource(packed(OTHER), source)).isFalse();
    assertThat(source.isKnown()).isFalse();
    assertThat(source.reported()).isEqualTo(NA);
    TransferPeers handles = overtaken(-1, () -> {}, false);
    assertThat(handles.findSource(packed(PEER), source)).isTrue();
    assertThat(source.reported()).isZero();
  }
}
