// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of the interface: what they carry, what makes them equal, and how they print. */
class ValuesTest {
  private static final FabricObject SOURCE =
      new FabricObject() {
        @Override
        public Object context() {
          return "context";
        }

        @Override
        public boolean isOpen() {
          return true;
        }

        @Override
        public void close() {}
      };

  private static void refused(Runnable call, String... words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContainingAll(words);
  }

  @Test
  void anAnswerWithoutOffersSaysWhyInItsException() {
    InfoAnswer nothing = new InfoAnswer(List.of(), List.of());
    assertThatThrownBy(nothing::best)
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("no provider is installed");

    InfoAnswer refused =
        new InfoAnswer(
            List.of(),
            List.of(
                new Refusal("udp", Errno.ENOSYS, "not today"),
                new Refusal("tcp", Errno.ENODATA, "nor here")));
    assertThatThrownBy(refused::best)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSYS))
        .hasMessageContainingAll("udp", "not today", "tcp", "nor here");
  }

  @Test
  void insertOptionsCarryUserIdsOrKeysAndRefuseBoth() {
    InsertOptions ids = InsertOptions.none().withUserIds(7, 8);
    InsertOptions keys = InsertOptions.none().withAuthKeys(9, 10);
    refused(() -> ids.withAuthKeys(9, 10), "authKeys", "user ids", "setUserId");
    refused(() -> ids.withAuthKey(9, 2), "user ids");
    refused(() -> keys.withUserIds(7, 8), "userIds", "authorization keys");
    refused(() -> keys.withAuthKey(1, -1), "-1");
    assertThat(ids.withUserIds(5).input()).containsExactly(5);
    assertThat(InsertOptions.none().withAuthKey(9, 3).input()).containsExactly(9, 9, 9);
    assertThat(ids.withContext("x").input()).containsExactly(7, 8);
  }

  @Test
  void insertOptionsAreEqualByContentAndKeepCopies() {
    long[] given = {7, 8};
    InsertOptions options = InsertOptions.none().withUserIds(given).withContext("x");
    given[0] = 9;
    options.input()[1] = 9;
    InsertOptions same = InsertOptions.none().withContext("x").withUserIds(7, 8);
    assertThat(options).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(options).isNotEqualTo(same.withContext("y")).isNotEqualTo(same.withUserIds(7));
    assertThat(options).hasToString("InsertOptions[flags=USER_ID, input=[7, 8], context=x]");
  }

  @Test
  void flagsHaveTheirNames() {
    assertThat(Flag.names(CompletionFlag.class, 0)).isEqualTo("0");
    long mask = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.SEND) | 1L << 62;
    assertThat(Flag.names(CompletionFlag.class, mask)).isEqualTo("MSG|SEND|0x4000000000000000");
  }

  private static Completion.Failure failure(byte... data) {
    return Completion.Failure.of(Errno.EADDRNOTAVAIL, "who is that")
        .context("c")
        .flags(CompletionFlag.RECEIVE.mask())
        .length(5)
        .tag(0x10)
        .providerErrno(3)
        .errorData(data)
        .build();
  }

  @Test
  void completionsNameFlagsAndErrno() {
    long flags = Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.RECEIVE);
    assertThat(Completion.Success.of("c", flags).length(5).data(42).tag(0x10).source(3).build())
        .hasToString(
            "Success[context=c, flags=TAGGED|RECEIVE, length=5, data=42, tag=0x10, source=3]");
    assertThat(failure((byte) 1, (byte) 255))
        .hasToString(
            "Failure[context=c, flags=RECEIVE, length=5, data=0, tag=0x10, source=unknown,"
                + " overflow=0, errno=EADDRNOTAVAIL (99), providerErrno=3, errorData=01ff,"
                + " reason=who is that]");
  }

  @ParameterizedTest
  @CsvSource({
    "MSG|SEND, SEND",
    "TAGGED|RECEIVE, RECEIVE",
    "RECEIVE|MULTI_RECEIVE, RECEIVE",
    "MULTI_RECEIVE, RECEIVE",
    "RMA|READ, READ",
    "RMA|WRITE, WRITE",
    "RMA|REMOTE_READ, REMOTE_READ",
    "RMA|REMOTE_WRITE|REMOTE_CQ_DATA, REMOTE_WRITE",
    "RMA|REMOTE_WRITE|REMOTE_CQ_DATA|RECEIVE, REMOTE_WRITE",
    "REMOTE_CQ_DATA, UNKNOWN",
    "'', UNKNOWN"
  })
  void completionsNameTheOperation(String flags, Completion.Operation operation) {
    long mask = 0;
    for (String flag : flags.isEmpty() ? new String[0] : flags.split("\\|")) {
      mask |= CompletionFlag.valueOf(flag).mask();
    }
    assertThat(Completion.Operation.of(mask)).isEqualTo(operation);
    assertThat(Completion.Success.of(null, mask).build().operation()).isEqualTo(operation);
    assertThat(Completion.Failure.of(Errno.EIO, "broken").flags(mask).build().operation())
        .isEqualTo(operation);
  }

  @Test
  void failuresKeepCopiesOfTheirData() {
    byte[] data = {1, 2};
    Completion.Failure failure = failure(data);
    data[0] = 9;
    failure.errorData()[1] = 9;
    assertThat(failure.errorData()).containsExactly(1, 2);
  }

  @Test
  void failuresHaveWhatTheyWereBuiltWith() {
    Completion.Failure failure =
        Completion.Failure.of(Errno.ETRUNC, "too long")
            .context("c")
            .flags(1)
            .length(2)
            .overflow(3)
            .data(4)
            .tag(5)
            .source(6)
            .providerErrno(7)
            .build();
    assertThat(failure.context()).isEqualTo("c");
    assertThat(
            List.of(
                failure.flags(),
                failure.length(),
                failure.overflow(),
                failure.data(),
                failure.tag(),
                failure.source()))
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(failure.errno()).isEqualTo(Errno.ETRUNC);
    assertThat(failure.reason()).isEqualTo("too long");
    assertThat(failure.providerErrno()).isEqualTo(7);

    Completion.Failure bare = Completion.Failure.of(Errno.EIO, "broken").build();
    assertThat(bare.source()).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(bare.providerErrno()).isEqualTo(Errno.EIO.number());
    assertThat(bare.errorData()).isEmpty();
    assertThat(bare).isNotEqualTo(failure);
  }

  @Test
  void completionsAndEventsAreEqualByContent() {
    Completion.Success success =
        Completion.Success.of("c", 1).length(2).data(3).tag(4).source(5).build();
    assertThat(success)
        .isEqualTo(Completion.Success.of("c", 1).length(2).data(3).tag(4).source(5).build());
    assertThat(success)
        .hasSameHashCodeAs(
            Completion.Success.of("c", 1).length(2).data(3).tag(4).source(5).build());
    assertThat(success)
        .isNotEqualTo(Completion.Success.of("c", 1).length(2).data(3).tag(5).source(4).build());
    assertThat(failure((byte) 1)).isEqualTo(failure((byte) 1)).hasSameHashCodeAs(failure((byte) 1));
    assertThat(failure((byte) 1)).isNotEqualTo(failure((byte) 2));

    Event connected = Event.Connected.of(SOURCE, new byte[] {1});
    assertThat(connected).isEqualTo(Event.Connected.of(SOURCE, new byte[] {1}));
    assertThat(connected).hasSameHashCodeAs(Event.Connected.of(SOURCE, new byte[] {1}));
    assertThat(connected).isNotEqualTo(Event.Connected.of(SOURCE, new byte[] {2}));
    assertThat(connected).isNotEqualTo(Event.Shutdown.of(SOURCE));
    assertThat(connected.context()).isNull();
    assertThat(connected.data()).isZero();

    Event failed = eventFailure((byte) 1);
    assertThat(failed).isEqualTo(eventFailure((byte) 1)).hasSameHashCodeAs(eventFailure((byte) 1));
    assertThat(failed).isNotEqualTo(eventFailure((byte) 2));
    assertThat(failed.toString()).contains("errno=ECONNREFUSED (111)", "errorData=01");
  }

  private static <T> void equalByValues(Supplier<T> made, Object... others) {
    assertThat(made.get()).isEqualTo(made.get()).hasSameHashCodeAs(made.get());
    assertThat(others).doesNotContain(made.get()).doesNotHaveDuplicates();
  }

  @Test
  void eventsHaveTheValuesThatTheyAreMadeOf() {
    FabricInfo info = FabricInfo.builder(ApiVersion.LATEST, Profile.RELEASE_2_0).build();
    equalByValues(
        () -> Event.InsertionComplete.of(SOURCE, "c", 2),
        Event.InsertionComplete.of(SOURCE, null, 2),
        Event.InsertionComplete.of(SOURCE, "c", 3));
    equalByValues(
        () -> Event.ConnectionRequest.of(SOURCE, info, new byte[] {1}),
        Event.ConnectionRequest.of(SOURCE, info.withCapabilities(1), new byte[] {1}),
        Event.ConnectionRequest.of(SOURCE, info, new byte[] {2}));
    equalByValues(
        () -> Event.PeerLost.of(SOURCE, 1, Errno.ETIMEDOUT, "why"),
        Event.PeerLost.of(SOURCE, 2, Errno.ETIMEDOUT, "why"),
        Event.PeerLost.of(SOURCE, 1, Errno.ECONNRESET, "why"),
        Event.PeerLost.of(SOURCE, 1, Errno.ETIMEDOUT, "other"));
    equalByValues(
        () -> Event.PeerReturned.of(SOURCE, 1, true),
        Event.PeerReturned.of(SOURCE, 2, true),
        Event.PeerReturned.of(SOURCE, 1, false));
    equalByValues(
        () -> InsertionFailure.of(1, "address", Errno.EIO, "why"),
        InsertionFailure.of(2, "address", Errno.EIO, "why"),
        InsertionFailure.of(1, "other", Errno.EIO, "why"),
        InsertionFailure.of(1, "address", Errno.EINVAL, "why"),
        InsertionFailure.of(1, "address", Errno.EIO, "other"));

    Event.PeerLost lost = Event.PeerLost.of(SOURCE, 1, Errno.ETIMEDOUT, "why");
    assertThat(lost.source()).isSameAs(SOURCE);
    assertThat(lost.peer()).isEqualTo(lost.data()).isEqualTo(1);
    assertThat(lost.errno()).isEqualTo(Errno.ETIMEDOUT);
    assertThat(lost.reason()).isEqualTo("why");
    assertThat(Event.PeerReturned.of(SOURCE, 1, true).restarted()).isTrue();
    assertThat(eventFailure((byte) 1))
        .extracting(Event::context, Event::data)
        .containsExactly("c", 2L);
  }

  @Test
  void eventsKeepCopiesOfTheirBytes() {
    byte[] given = {1};
    Event.Connected connected = Event.Connected.of(SOURCE, given);
    Event.Failure failure =
        Event.Failure.of(SOURCE, Errno.ECONNREFUSED, "no").errorData(given).build();
    given[0] = 2;
    connected.connectionData()[0] = 2;
    failure.errorData()[0] = 2;
    assertThat(connected.connectionData()).containsExactly(1);
    assertThat(failure.errorData()).containsExactly(1);
  }

  private static Event eventFailure(byte... data) {
    return Event.Failure.of(SOURCE, Errno.ECONNREFUSED, "no")
        .context("c")
        .data(2)
        .providerErrno(4)
        .errorData(data)
        .build();
  }
}
