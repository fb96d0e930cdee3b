// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Refusal;
import org.ofi4j.spi.FabricProvider;

/** libfabric is asked only for a name of its own, because that loads it. */
class InstalledProvidersTest {
  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"udp", "tcp", "nobody"})
  void libfabricIsNotAskedForOtherNames(@Nullable String name) {
    assertThat(names(name)).containsExactly("udp", "tcp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "efa", "tcp;ofi_rxm", "libfabric:tcp", "libfabric:net;ofi_rxm"})
  void libfabricAloneIsAskedForItsNames(String name) {
    assertThat(names(name)).contains("shm", "libfabric:tcp").doesNotContain("udp", "tcp");
  }

  @Test
  void bothAreListed() {
    assertThat(InstalledProviders.all()).hasSize(2);
    assertThat(InstalledProviders.overLibfabric()).hasSize(1);
  }

  @Test
  void whatNobodyHasIsRefusedByThoseWhoWereAsked() {
    assertThat(InstalledProviders.info(Hints.latest().withProvider("nobody")).refusals())
        .isNotEmpty()
        .extracting(Refusal::provider)
        .containsOnly("udp", "tcp");
  }

  static List<Hints> unnamed() {
    return List.of(
        Hints.latest(),
        Hints.datagram(),
        Hints.reliable(),
        Hints.connected(),
        Hints.reliable().withCapabilities(Capability.MSG, Capability.TAGGED),
        Hints.latest().withSource("127.0.0.1:0"));
  }

  /** A JVM without native access has the first offers of one that has it, so that both meet. */
  @ParameterizedTest
  @MethodSource("unnamed")
  void offersInPureJavaComeFirstWithAndWithoutNativeAccess(Hints hints) {
    List<FabricProvider> pure =
        Fabrics.providers().stream().filter(provider -> provider.names().contains("udp")).toList();
    List<FabricInfo> without = Fabrics.info(hints, pure).offers();

    List<FabricInfo> with = Fabrics.info(hints).offers();

    assertThat(without).isNotEmpty();
    assertThat(with).startsWith(without.toArray(FabricInfo[]::new));
  }

  @Test
  void orderOfProvidersDoesNotDependOnTheClassPath() {
    assertThat(Fabrics.providers())
        .extracting(provider -> provider.names().getFirst())
        .containsExactly("udp", "shm");
  }

  private static List<String> names(@Nullable String asked) {
    return InstalledProviders.of(asked).stream()
        .flatMap(provider -> provider.names().stream())
        .toList();
  }
}
