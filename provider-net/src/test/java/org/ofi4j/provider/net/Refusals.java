// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;

/** Hints to which there is no offer, and what is said of it. */
final class Refusals {
  private static final NetProvider PROVIDER = new NetProvider();

  private Refusals() {}

  static void assertRefused(
      String provider, String what, Hints hints, int errno, List<String> words) {
    InfoAnswer answer = PROVIDER.info(hints);

    assertThat(answer.offers()).as(what).isEmpty();
    assertThat(answer.refusals()).isNotEmpty();
    Refusal refusal = answer.refusals().getFirst();
    assertThat(refusal.provider()).isEqualTo(provider);
    assertThat(refusal.errno().number()).isEqualTo(errno);
    assertThat(refusal.reason()).contains(words);
    assertThatThrownBy(answer::best)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.code()).isEqualTo(-errno));
  }

  /** A capability is lacking, and the refusal goes on to say what there is. */
  static void assertLacking(Hints hints, Capability capability, String others) {
    InfoAnswer answer = PROVIDER.info(hints.withCapabilities(capability));

    assertThat(answer.offers()).isEmpty();
    assertThat(answer.refusals())
        .singleElement()
        .satisfies(refusal -> {
          assertThat(refusal.errno()).isEqualTo(Errno.ENODATA);
          assertThat(refusal.reason()).contains(capability.name(), others);
        });
  }
}
