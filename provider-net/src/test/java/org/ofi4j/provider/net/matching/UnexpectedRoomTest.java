// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.EarlyMessages;
import org.ofi4j.provider.kit.Peers;

/** The memory of messages that came before a receive. */
class UnexpectedRoomTest {
  private static final int MEBIBYTE = 1 << 20;

  /** Messages that were added to a room of a mebibyte, by as many peers as there are. */
  private static List<Message> added(UnexpectedRoom room, int count, int size) {
    UnexpectedMessages messages = new UnexpectedMessages(false, room);
    MatchKey key = new MatchKey();
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Sender from = new Sender(0, i, 1, Peers.NO_AUTH_KEY, null);
      key.set(true, 5, from);
      Message message = room.take(key, from, size, false);
      messages.add(message);
      all.add(message);
    }
    return all;
  }

  private static long memory(List<Message> messages) {
    return messages.stream().mapToLong(each -> each.bytes.byteSize()).sum();
  }

  @ParameterizedTest
  @CsvSource({"1, 256", "4096, 256", "5000, 209", "0, 256"})
  @DisplayName("All memory that messages take counts, and those without room take none")
  void memoryCounts(int size, int kept) {
    UnexpectedRoom room = new UnexpectedRoom(() -> null);
    room.bound(EarlyMessages.defaults().withInAll(MEBIBYTE));
    List<Message> all = added(room, 1_000, size);
    assertThat(all).filteredOn(each -> each.state == Message.State.ARRIVING).hasSize(kept);
    assertThat(memory(all)).isLessThanOrEqualTo(MEBIBYTE);
    assertThat(all)
        .filteredOn(each -> each.state == Message.State.PAUSED)
        .allMatch(each -> each.bytes.byteSize() == 0);
  }
}
