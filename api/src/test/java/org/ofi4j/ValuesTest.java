// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

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
    return new Completion.Failure(
        "c",
        CompletionFlag.RECEIVE.mask(),
        5,
        0,
        0,
        0x10,
        Handles.NOT_AVAILABLE,
        Errno.EADDRNOTAVAIL,
        3,
        data,
        "who is that");
  }

  @Test
  void completionsNameFlagsAndErrno() {
    long flags = Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.RECEIVE);
    assertThat(new Completion.Success("c", flags, 5, 42, 0x10, 3))
        .hasToString(
            "Success[context=c, flags=TAGGED|RECEIVE, length=5, data=42, tag=0x10, source=3]");
    assertThat(failure((byte) 1, (byte) 255))
        .hasToString(
            "Failure[context=c, flags=RECEIVE, length=5, data=0, tag=0x10, source=unknown,"
                + " overflow=0, errno=EADDRNOTAVAIL (99), providerErrno=3, errorData=01ff,"
                + " reason=who is that]");
  }

  @Test
  void completionsAndEventsAreEqualByContent() {
    assertThat(failure((byte) 1)).isEqualTo(failure((byte) 1)).hasSameHashCodeAs(failure((byte) 1));
    assertThat(failure((byte) 1)).isNotEqualTo(failure((byte) 2));

    Event connected = new Event.Connected(SOURCE, new byte[] {1});
    assertThat(connected).isEqualTo(new Event.Connected(SOURCE, new byte[] {1}));
    assertThat(connected).hasSameHashCodeAs(new Event.Connected(SOURCE, new byte[] {1}));
    assertThat(connected).isNotEqualTo(new Event.Connected(SOURCE, new byte[] {2}));
    assertThat(connected.context()).isNull();
    assertThat(connected.data()).isZero();

    Event failed = eventFailure((byte) 1);
    assertThat(failed).isEqualTo(eventFailure((byte) 1)).hasSameHashCodeAs(eventFailure((byte) 1));
    assertThat(failed).isNotEqualTo(eventFailure((byte) 2));
    assertThat(failed.toString()).contains("errno=ECONNREFUSED (111)", "errorData=01");
  }

  private static Event eventFailure(byte... data) {
    return new Event.Failure(SOURCE, "c", 2, Errno.ECONNREFUSED, 4, "no", data);
  }
}
