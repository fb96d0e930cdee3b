// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests say what they were told, replace what was said before, and start anew when cleared. */
class RequestsTest {
  private static final MemorySegment MEMORY = MemorySegment.ofArray(new byte[8]);
  private static final RemotePlace PLACE = new RemotePlace(100, 50, 7);

  private static void invalid(ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining(words);
  }

  @Test
  @DisplayName("Immediate data that is given is sent, 0 as well, and can be taken back")
  void givingIsAsking() {
    SendRequest request = new SendRequest();
    assertThat(request.hasData()).isFalse();
    assertThat(request.data(0).hasData()).isTrue();
    assertThat(request.data(42).data()).isEqualTo(42);
    assertThat(request.flags()).isEqualTo(TransferFlag.REMOTE_CQ_DATA.mask());
    assertThat(request.withoutData().hasData()).isFalse();
    assertThat(request.data()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("Of levels that exclude each other the last one counts")
  void levels(CompletionLevel level) {
    WriteRequest write = new WriteRequest().injected(true).more(true).reported(true);
    long others = write.flags();
    write.completes(CompletionLevel.DELIVERED).completes(level);
    assertThat(write.flags()).isEqualTo(others | level.flags);
    assertThat(write.completes(CompletionLevel.DEFAULT).flags()).isEqualTo(others);
    assertThat(write.injected(false).more(false).reported(false).flags()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("Of modes that exclude each other the last one counts")
  void modes(ReceiveMode mode) {
    ReceiveRequest receive = new ReceiveRequest().mode(ReceiveMode.PEEK_AND_CLAIM).mode(mode);
    assertThat(receive.flags()).isEqualTo(mode.flags);
    assertThat(receive.mode(ReceiveMode.ONE_MESSAGE).flags()).isZero();
  }

  @Test
  @DisplayName("A source is a peer or a key, whichever was said last")
  void sources() {
    TaggedReceiveRequest receive = new TaggedReceiveRequest();
    assertThat(receive.source()).isEqualTo(Handles.UNSPECIFIED);
    assertThat(receive.sourceUnderKey(5).flags()).isEqualTo(TransferFlag.AUTH_KEY.mask());
    assertThat(receive.source(6).flags()).isZero();
    assertThat(receive.source()).isEqualTo(6);
  }

  @Test
  @DisplayName("Memory is one piece or several, and a place is one or several")
  void memoryAndPlaces() {
    MemorySegment[] parts = {MEMORY, MEMORY};
    WriteRequest write = new WriteRequest().memory(MEMORY).parts(parts);
    assertThat(write.parts()).isSameAs(parts);
    assertThat(write.memory()).isEqualTo(MemorySegment.NULL);
    assertThat(write.memory(MEMORY).parts()).isNull();

    write.place(PLACE, 50);
    assertThat(write.place()).isEqualTo(PLACE);
    assertThat(write.offset()).isEqualTo(50);
    write.places(PLACE, PLACE);
    assertThat(write.place()).isNull();
    assertThat(write.offset()).isZero();
    assertThat(write.place(PLACE).places()).isNull();
    invalid(() -> write.place(PLACE, 51), "offset 51");
    invalid(() -> write.place(PLACE, -1), "offset -1");
    assertThat(write.place()).as("what is refused changes nothing").isEqualTo(PLACE);
  }

  @Test
  @DisplayName("A request that is cleared is as a new one")
  void clearing() {
    TaggedSendRequest send =
        new TaggedSendRequest()
            .memory(MEMORY)
            .destination(3)
            .tag(4)
            .data(5)
            .context("context")
            .completes(CompletionLevel.DELIVERED)
            .clear();
    assertThat(send.memory()).isEqualTo(MemorySegment.NULL);
    assertThat(send.destination()).isEqualTo(Handles.UNSPECIFIED);
    assertThat(send.tag()).isZero();
    assertThat(send.data()).isZero();
    assertThat(send.context()).isNull();
    assertThat(send.flags()).isZero();
    ReadRequest read = new ReadRequest().source(1).place(PLACE, 5).clear();
    assertThat(read.source()).isEqualTo(Handles.UNSPECIFIED);
    assertThat(read.place()).isNull();
    assertThat(read.offset()).isZero();
    TaggedReceiveRequest receive =
        new TaggedReceiveRequest().pattern(TagPattern.exactly(4)).sourceUnderKey(2).clear();
    assertThat(receive.ignored()).isEqualTo(TagPattern.any().ignored());
    assertThat(receive.tag(5).tag()).isEqualTo(5);
    assertThat(receive.ignored()).isZero();
    assertThat(receive.flags()).isZero();
  }

  @Test
  @DisplayName("Nothing is taken for null but a context")
  void nulls() {
    invalid(() -> new SendRequest().memory(null), "null");
    invalid(() -> new SendRequest().parts((MemorySegment[]) null), "null");
    invalid(() -> new SendRequest().completes(null), "null");
    invalid(() -> new ReceiveRequest().mode(null), "null");
    invalid(() -> new TaggedReceiveRequest().pattern(null), "null");
    invalid(() -> new ReadRequest().place(null), "null");
    assertThat(new SendRequest().context(null).context()).isNull();
  }

  @Test
  @DisplayName("Patterns take what is the same but for ignored bits")
  void patterns() {
    TagPattern orders = TagPattern.exactly(0x70).withIgnored(0xF);
    assertThat(orders.matches(0x7C)).isTrue();
    assertThat(orders.matches(0x8C)).isFalse();
    assertThat(TagPattern.any().matches(-5)).isTrue();
    assertThat(orders).hasToString("TagPattern[tag=0x70, ignored=0xf]");
  }

  @Test
  @DisplayName("A place without its first bytes is that much shorter, and shows no key")
  void placesFrom() {
    assertThat(PLACE.from(10)).isEqualTo(new RemotePlace(110, 40, 7));
    assertThat(PLACE.from(50).length()).isZero();
    invalid(() -> PLACE.from(51), "offset 51");
    assertThat(PLACE.toString()).doesNotContain("7");
  }
}
