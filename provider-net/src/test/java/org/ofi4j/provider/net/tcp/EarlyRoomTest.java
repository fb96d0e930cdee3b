// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Completion;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;

/** How much is kept of messages that come before their receives. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EarlyRoomTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final EarlyMessages SMALL =
      EarlyMessages.defaults().perPeer(2 * MEBIBYTE).inAll(3 * MEBIBYTE);

  private static TcpRig rig() {
    return new TcpRig(TcpRig.hints("127.0.0.1", Progress.AUTO));
  }

  private static TcpRig rig(EarlyMessages early) {
    return new TcpRig(TcpRig.hints("127.0.0.1", Progress.AUTO), early);
  }

  private static Completion.Success success(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return (Completion.Success) completion;
  }

  @ParameterizedTest
  @CsvSource({"400000, 4", "524288, 4", "1048576, 60", "3, 300"})
  @DisplayName("The last of many early messages can be received first")
  void lastFirst(int size, int count) throws Exception {
    try (TcpRig receiver = rig();
        TcpRig sender = rig();
        Arena arena = Arena.ofShared()) {
      receiver.insert(sender);
      long to = sender.insert(receiver);
      MemorySegment message = arena.allocate(size);
      for (int i = 0; i < count; i++) {
        Content.fill(message, i);
        sender.endpoint.sendTagged(message, to, i, i);
        assertThat(success(sender.next()).context()).isEqualTo(i);
      }
      MemorySegment buffer = arena.allocate(size);
      for (int i = count - 1; i >= 0; i--) {
        receiver.endpoint.receiveTagged(buffer, i, 0, i);
        assertThat(success(receiver.next()).tag()).isEqualTo(i);
        Content.verify(buffer, i);
      }
    }
  }

  @Test
  @DisplayName("What a peer sends beyond its bound waits in its connection, and comes in order")
  void boundOfAPeer() throws Exception {
    try (TcpRig receiver = rig(SMALL);
        TcpRig sender = rig()) {
      receiver.insert(sender);
      long to = sender.insert(receiver);
      MemorySegment message = TcpRig.buffer(900_000);
      for (int i = 0; i < 3; i++) {
        sender.endpoint.send(message, to, i);
      }
      sender.endpoint.send(TcpRig.message("behind"), to, "behind");
      MemorySegment buffer = TcpRig.buffer(900_000);
      for (int i = 0; i < 4; i++) {
        receiver.endpoint.receive(buffer, i);
        assertThat(success(receiver.next()).length()).isEqualTo(i < 3 ? 900_000 : 6);
      }
    }
  }

  /** Messages that were added to a room of a mebibyte, by as many peers as there are. */
  private static List<Message> added(UnexpectedRoom room, int count, int size) {
    UnexpectedMessages messages = new UnexpectedMessages(false, room);
    MatchKey key = new MatchKey();
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Peer from = new Peer(0, i, 1, null, null);
      key.set(true, 5, from);
      all.add(messages.add(null, key, from, size, false, false, 0));
    }
    return all;
  }

  private static long memory(List<Message> messages) {
    return messages.stream()
        .map(each -> each.block == null ? each.bytes() : each.block)
        .mapToLong(MemorySegment::byteSize)
        .sum();
  }

  @ParameterizedTest
  @CsvSource({"1, 256", "4096, 256", "5000, 209", "0, 256"})
  @DisplayName("All memory that messages take counts, and those without room take none")
  void memoryCounts(int size, int kept) {
    UnexpectedRoom room = new UnexpectedRoom(peer -> true);
    room.bound(EarlyMessages.defaults().inAll(MEBIBYTE));
    List<Message> all = added(room, 1_000, size);
    assertThat(all).filteredOn(each -> each.state == Message.State.ARRIVING).hasSize(kept);
    assertThat(memory(all)).isLessThanOrEqualTo(MEBIBYTE);
    assertThat(all)
        .filteredOn(each -> each.state == Message.State.PARKED)
        .allMatch(each -> each.block == null && each.bytes().byteSize() == 0);
  }

  @Test
  @DisplayName("Bounds are checked, and said before the endpoint is enabled")
  void arguments() {
    EarlyMessages defaults = EarlyMessages.defaults();
    refused(() -> defaults.perPeer(4_095), "perPeer 4095");
    refused(() -> defaults.inAll(-1), "inAll -1");
    refused(() -> defaults.announced(-1), "announced -1");
    try (TcpRig rig = rig();
        Endpoint other = rig.domain.openEndpoint()) {
      refused(() -> rig.endpoint.earlyMessages(defaults), "is enabled");
      refused(() -> other.earlyMessages(null), "bounds is null");
    }
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(FabricException.class)
        .hasMessageContaining(message)
        .satisfies(
            failed -> assertThat(((FabricException) failed).errno()).isEqualTo(Errno.EINVAL));
  }

  @Test
  @DisplayName(
      "A peer that does not read past what it does not keep gets what it wants all the same")
  void peerThatReadsNoFurther() throws Exception {
    try (LibfabricPeer peer = LibfabricPeer.start("reads-no-further");
        TcpRig rig = rig(EarlyMessages.defaults().announced(16_384))) {
      peer.meanwhile(() -> rig.move(Duration.ZERO));
      long to = rig.vector.insert(peer.name());
      rig.endpoint.sendTagged(TcpRig.buffer(16_385), to, 1, "larger");
      rig.endpoint.sendTagged(TcpRig.buffer(16_384), to, 2, "behind");
      peer.ask("connection", "connected");
      assertThat(peer.ask("receive 2")).isEqualTo("received 2 16384");
      assertThat(peer.ask("receive 1")).isEqualTo("received 1 16385");
      peer.finish();
    }
  }
}
