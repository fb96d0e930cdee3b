// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Limits;
import org.ofi4j.Refusal;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.offer.ProviderNames;

/** What is offered, and what is refused in which words. */
class InfoTest {
  private static final LibfabricProvider PROVIDER = new LibfabricProvider();

  /** Asks once, and prints what it was told, and which libraries it has then. */
  static final class Asking {
    private Asking() {}

    public static void main(String[] arguments) throws Exception {
      Hints hints = Hints.latest();
      if (!arguments[0].equals("any")) {
        hints = hints.withProvider(arguments[0]);
      }
      for (int i = 0; i < 2; i++) {
        InfoAnswer answer = PROVIDER.info(hints);
        System.out.println("offers " + answer.offers().size());
        for (Refusal each : answer.refusals()) {
          System.out.println("refusal " + each.errno() + " " + each);
        }
      }
      try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
        System.out.println("libfabric " + maps.anyMatch(line -> line.contains("libfabric")));
      }
    }
  }

  private static List<String> ask(List<String> options, String provider) throws Exception {
    try (ChildJvm jvm = ChildJvm.start(Asking.class, options, provider)) {
      List<String> said = new ArrayList<>();
      for (String line = jvm.line(); line != null; line = jvm.line()) {
        said.add(line);
      }
      assertThat(jvm.exitStatus()).as("%s", jvm.errors()).isZero();
      assertThat(jvm.errors()).isEmpty();
      return said;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "udp", "any"})
  @DisplayName("Who asks for another provider, or may not call C, has nothing native loaded")
  void nothingIsLoadedUnasked(String provider) throws Exception {
    List<String> options = provider.equals("any") ? List.of() : List.of(ChildJvm.NATIVE);

    List<String> said = ask(options, provider);

    assertThat(said).contains("offers 0", "libfabric false");
    if (provider.equals("any")) {
      assertThat(said.get(1)).contains("ENOSYS", "--enable-native-access");
    } else {
      assertThat(said).hasSize(3);
    }
  }

  @Test
  @DisplayName("A JVM that denies calls of C is told the option that helps")
  void denied() throws Exception {
    List<String> said = ask(List.of("--illegal-native-access=deny"), "shm");

    assertThat(said).contains("offers 0", "libfabric false");
    assertThat(said.get(1)).contains("shm", "ENOSYS", "--enable-native-access");
  }

  private static void assertUnusable(Path file, String... words) throws Exception {
    List<String> said =
        ask(List.of(ChildJvm.NATIVE, "-D" + Libfabric.FILE_PROPERTY + "=" + file), "shm");

    assertThat(said.get(0)).isEqualTo("offers 0");
    assertThat(said.get(1)).contains("shm", "ENOSYS").contains(words);
    // The answer is the same the next time.
    assertThat(said.subList(2, 4)).isEqualTo(said.subList(0, 2));
  }

  @Test
  @DisplayName("A library that is missing is named, and what installs it")
  void missing(@TempDir Path directory) throws Exception {
    assertUnusable(
        directory.resolve("libnone.so"),
        directory.resolve("libnone.so").toString(),
        "apt-get install libfabric1",
        Libfabric.FILE_PROPERTY);
  }

  @Test
  @DisplayName("An empty name of a file is refused as such")
  void emptyName() throws Exception {
    assertUnusable(Path.of(""), Libfabric.FILE_PROPERTY + " is empty");
  }

  @Test
  @DisplayName("A library that is another one is told apart")
  void anotherOne() throws Exception {
    assertUnusable(Path.of("libc.so.6"), "libc.so.6 has no function fi_version", "not libfabric");
  }

  @Test
  @DisplayName("A version that is too old is named, and the one that is needed")
  void tooOld(@TempDir Path directory) throws Exception {
    CCompiler.need(directory);
    Files.writeString(
        directory.resolve("old.c"), "unsigned fi_version(void) { return 1 << 16 | 16; }\n");
    CCompiler.compile(directory, "libold.so", "-shared", "-fPIC", "old.c");

    assertUnusable(directory.resolve("libold.so"), "libfabric 1.16", "1.17 or later");
  }

  @Test
  @DisplayName("Names are known without looking; those of other providers have a prefix")
  void names() {
    assertThat(PROVIDER.names())
        .startsWith("shm")
        .contains("efa", "cxi", "verbs;ofi_rxm", "psm3", "libfabric:tcp", "libfabric:udp")
        .doesNotContain("tcp", "udp")
        .doesNotHaveDuplicates();
    assertThat(ProviderNames.toNative("libfabric:tcp")).isEqualTo("tcp");
    assertThat(ProviderNames.toNative("shm")).isEqualTo("shm");
    assertThat(ProviderNames.toNative(null)).isNull();
    assertThat(ProviderNames.fromNative("tcp")).isEqualTo("libfabric:tcp");
    assertThat(ProviderNames.fromNative("shm")).isEqualTo("shm");
    assertThat(ProviderNames.fromNative("new")).isEqualTo("libfabric:new");
    assertThat(ProviderNames.isOurs("libfabric:new")).isTrue();
    assertThat(ProviderNames.isOurs("tcp")).isFalse();
  }

  static List<String> installed() {
    return List.of("shm", "net", "tcp;ofi_rxm", "udp;ofi_rxd", "libfabric:udp");
  }

  @ParameterizedTest
  @MethodSource("installed")
  @DisplayName("Offers have the name that was asked for, and can be opened")
  void offers(String name) {
    CCompiler.needProvider(name);
    EndpointType type = name.equals("libfabric:udp") ? EndpointType.DGRAM : EndpointType.RDM;
    Hints hints = Hints.latest().withProvider(name).withEndpointType(type);

    InfoAnswer answer = PROVIDER.info(hints);

    assertThat(answer.refusals()).isEmpty();
    assertThat(answer.offers())
        .isNotEmpty()
        .doesNotHaveDuplicates()
        .allSatisfy(offer -> {
          // libfabric adds what it has on top of it.
          assertThat(ProviderNames.toNative(offer.fabric().provider()))
              .startsWith(ProviderNames.toNative(name));
          assertThat(offer.has(Capability.MSG)).isTrue();
          assertThat(offer.has(Capability.SOURCE)).isFalse();
          assertThat(offer.endpoint().maxMessageSize()).isPositive();
          assertThat(offer.transmit().injectSize()).isGreaterThanOrEqualTo(4_096);
          assertThat(offer.endpoint().type()).isEqualTo(type);
        });
    FabricInfo first = Fabrics.info(hints).best();
    assertThat(first.fabric().provider()).isEqualTo(name);
    try (var fabric = Fabrics.open(first);
        var domain = fabric.openDomain(first, null)) {
      assertThat(domain.info()).isEqualTo(first);
    }
  }

  static List<String> connecting() {
    return List.of("net", "libfabric:tcp");
  }

  @ParameterizedTest
  @MethodSource("connecting")
  @DisplayName("Endpoints that connect are offered after all others, or when they are asked for")
  void offersThatConnect(String name) {
    CCompiler.needProvider(name);
    Hints hints = Hints.latest().withProvider(name);

    List<EndpointType> any =
        PROVIDER.info(hints).offers().stream().map(offer -> offer.endpoint().type()).toList();
    List<FabricInfo> asked = PROVIDER.info(hints.withEndpointType(EndpointType.MSG)).offers();

    assertThat(any).contains(EndpointType.RDM, EndpointType.MSG);
    assertThat(any.lastIndexOf(EndpointType.RDM)).isLessThan(any.indexOf(EndpointType.MSG));
    assertThat(asked)
        .isNotEmpty()
        .allSatisfy(offer -> {
          assertThat(offer.endpoint().type()).isEqualTo(EndpointType.MSG);
          assertThat(offer.has(Capability.RMA)).isTrue();
          assertThat(offer.has(Capability.SOURCE)).isFalse();
        });
  }

  @Test
  void layersThatPeersCanEndAreOfferedOnlyByTheirNames() {
    CCompiler.needProvider("tcp;ofi_rxm");
    CCompiler.needProvider("udp;ofi_rxd");
    Hints hints = Hints.reliable().withSource("127.0.0.1:0");
    boolean unsafe = Libfabric.present().isBefore(2, 7);

    assertThat(PROVIDER.info(hints).offers())
        .extracting(offer -> offer.fabric().provider())
        .noneMatch(provider -> provider.endsWith(";ofi_rxd"))
        .noneMatch(provider -> unsafe && provider.endsWith(";ofi_rxm"));
    assertThat(PROVIDER.info(hints.withProvider("tcp;ofi_rxm")).offers()).isNotEmpty();
    assertThat(PROVIDER.info(hints.withProvider("udp;ofi_rxd")).offers()).isNotEmpty();
  }

  static List<Arguments> refused() {
    Hints shm = Hints.latest().withProvider("shm");
    return List.of(
        Arguments.of(shm.withMaxGroupId(3), "max_group_id 3", "groups"),
        Arguments.of(
            shm.withTransmitContexts(2).withReceiveContexts(1), "tx_ctx_cnt 2", "one context"),
        Arguments.of(
            shm.withTransmitContexts(1).withReceiveContexts(4), "rx_ctx_cnt 4", "one context"),
        Arguments.of(shm.withAuthKeys(AuthKeyHints.inVector()), "authorization keys", "none"),
        Arguments.of(
            shm.withAuthKeys(AuthKeyHints.none().withDomainKey(new byte[32])),
            "authorization keys",
            "none"),
        Arguments.of(shm.withEndpointType(EndpointType.MSG), "endpoint type MSG", "fi_info -p shm"),
        Arguments.of(
            shm.withProvider("net")
                .withEndpointType(EndpointType.MSG)
                .withCapabilities(Capability.MSG, Capability.SOURCE),
            "capability SOURCE",
            "one peer"),
        Arguments.of(
            shm.withProvider("net")
                .withEndpointType(EndpointType.MSG)
                .withCapabilities(Capability.TAGGED),
            "endpoint type MSG",
            "fi_info -p net"),
        Arguments.of(shm.withCapabilities(Capability.MULTICAST), "MULTICAST", "TAGGED"),
        Arguments.of(shm.withCapabilities(Capability.READ), "READ without RMA", "ask for both"),
        Arguments.of(
            shm.withLimits(Limits.none().withTransmitSize(65_537)),
            "tx_attr.size 65537",
            "up to 65536"),
        Arguments.of(
            shm.withReceiveContexts(FabricInfo.EndpointAttributes.SHARED_CONTEXT),
            "rx_ctx_cnt SHARED_CONTEXT",
            "no shared receive contexts"),
        Arguments.of(shm.withCapabilities(Capability.NAMED_RECEIVE_CONTEXT), "NAMED", "TAGGED"),
        Arguments.of(
            shm.withProvider("udp;ofi_rxd").withCapabilities(Capability.MSG, Capability.SOURCE),
            "capability SOURCE",
            "wrong sources"),
        Arguments.of(shm.withProvider("sm2"), "provider sm2", "closed endpoint", "ask for shm"),
        Arguments.of(shm.withProvider("libfabric:sm2"), "provider libfabric:sm2", "ask for shm"),
        Arguments.of(shm.withProvider("sockets"), "provider sockets", "ask for libfabric:tcp"),
        Arguments.of(
            shm.withProvider("libfabric:sockets").withEndpointType(EndpointType.MSG),
            "provider libfabric:sockets",
            "ask for libfabric:tcp"),
        Arguments.of(shm.withDomain("no such domain"), "fabric or domain", "fi_info -p shm"),
        Arguments.of(shm.withFabric("no such fabric"), "fabric or domain", "fi_info -p shm"),
        Arguments.of(shm.withEndpointType(EndpointType.DGRAM), "type DGRAM", "fi_info -p shm"),
        Arguments.of(
            Hints.of(ApiVersion.V1_0).withProvider("shm"), "API version 1.0", "format STR"),
        Arguments.of(shm.withProvider("libfabric:none"), "these hints", "fi_info -p none"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  @DisplayName("Hints that cannot be met are refused, and which one is said")
  void refusals(Hints hints, String asked, String instead) {
    CCompiler.needProvider("shm");
    InfoAnswer answer = PROVIDER.info(hints);

    assertThat(answer.offers()).isEmpty();
    Refusal refusal = answer.refusals().getFirst();
    assertThat(refusal.errno()).isEqualTo(Errno.ENODATA);
    assertThat(refusal.provider()).isEqualTo(hints.provider());
    assertThat(refusal.reason()).contains(asked, instead);
    assertThatThrownBy(answer::best).isInstanceOf(FabricException.class);
  }

  @Test
  @DisplayName("Sources of shm are offered from 1.18 on, where they are true")
  void sourcesOfShm() throws Exception {
    CCompiler.needProvider("shm");
    boolean old = Libfabric.installed().isBefore(1, 18);
    Hints hints =
        Hints.latest().withProvider("shm").withCapabilities(Capability.MSG, Capability.SOURCE);

    InfoAnswer answer = PROVIDER.info(hints);

    assertThat(answer.offers().isEmpty()).isEqualTo(old);
    if (old) {
      assertThat(answer.refusals())
          .singleElement()
          .satisfies(refusal ->
              assertThat(refusal.reason()).contains("capability SOURCE", "wrong sources"));
    }
  }

  static List<Hints> sources() {
    Hints hints = Hints.latest().withCapabilities(Capability.MSG, Capability.SOURCE);
    return List.of(
        hints.withProvider("libfabric:udp").withEndpointType(EndpointType.RDM),
        hints.withProvider("libfabric:shm"),
        hints.withProvider("shm"),
        hints,
        hints.withEndpointType(EndpointType.RDM));
  }

  @ParameterizedTest
  @MethodSource("sources")
  void offersHaveTheSourcesThatWereAskedForByWhateverName(Hints hints) {
    InfoAnswer answer = Fabrics.info(hints, List.of(PROVIDER));

    assertThat(answer.offers()).allMatch(offer -> offer.has(Capability.SOURCE));
    // The answer of the provider itself has the reason.
    assertThat(PROVIDER.info(hints).offers())
        .isEqualTo(answer.offers().stream().map(InfoTest::asOffered).toList());
    if (answer.offers().isEmpty()) {
      assertThat(answer.refusals())
          .singleElement()
          .satisfies(refusal ->
              assertThat(refusal.reason()).contains("capability SOURCE", "wrong sources"));
    }
  }

  /** The offer as it is before it is known who has made it. */
  private static FabricInfo asOffered(FabricInfo offer) {
    return offer.toBuilder().offeredBy(null).build();
  }
}
