// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Bounds of messages that come early: each for itself, within what makes sense. */
class EarlyMessagesTest {
  private static final EarlyMessages DEFAULTS = EarlyMessages.defaults();
  private static final long NONE = 1L << 62;

  @Test
  void eachIsSetByItself() {
    assertFields(DEFAULTS, 64 << 20, 128 << 20, 1 << 20, NONE);
    assertFields(DEFAULTS.withPerPeer(4096), 4096, 128 << 20, 1 << 20, NONE);
    assertFields(DEFAULTS.withInAll(5000), 64 << 20, 5000, 1 << 20, NONE);
    assertFields(DEFAULTS.withAnnounced(0), 64 << 20, 128 << 20, 0, NONE);
    assertFields(DEFAULTS.withAnnouncedToLibfabric(7), 64 << 20, 128 << 20, 1 << 20, 7);
  }

  private static void assertFields(EarlyMessages bounds, long... fields) {
    assertThat(fields)
        .containsExactly(
            bounds.perPeer(), bounds.inAll(), bounds.announced(), bounds.announcedToLibfabric());
  }

  @Test
  void whatIsOutOfBoundsIsNamed() {
    refused(() -> DEFAULTS.withPerPeer(4095), "perPeer 4095", "from 4096 to 1073741824 bytes");
    refused(() -> DEFAULTS.withPerPeer((1L << 30) + 1), "perPeer 1073741825");
    refused(() -> DEFAULTS.withInAll(4095), "inAll 4095", "from 4096 to 1099511627776 bytes");
    refused(() -> DEFAULTS.withInAll((1L << 40) + 1), "inAll");
    refused(
        () -> DEFAULTS.withAnnounced(-1), "announced -1", "from 0 to 4611686018427387904 bytes");
    refused(() -> DEFAULTS.withAnnounced((1L << 62) + 1), "announced");
    refused(() -> DEFAULTS.withAnnouncedToLibfabric(-1), "announcedToLibfabric -1");
    assertFields(
        DEFAULTS.withPerPeer(1L << 30).withInAll(1L << 40).withAnnounced(1L << 62),
        1L << 30,
        1L << 40,
        1L << 62,
        NONE);
  }

  private static void refused(ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOf(FabricException.class)
        .hasMessageStartingWith("EINVAL (22): ")
        .hasMessageContainingAll(words);
  }
}
