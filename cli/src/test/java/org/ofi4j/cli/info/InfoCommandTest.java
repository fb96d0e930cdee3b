// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.info;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.JsonReader.Value;

class InfoCommandTest {
  @Test
  void listsWhatThereIs() {
    CommandRun run = CommandRun.of("info");
    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    List<Value> offers = CommandRun.of("info", "--json").json().get("offers").list();
    assertThat(run.out().lines()).hasSize(offers.size() + 1);
    List<List<String>> rows =
        run.out().lines().skip(1).map(line -> List.of(line.split(" +"))).toList();
    assertThat(rows)
        .isEqualTo(
            offers.stream()
                .map(offer ->
                    List.of(
                        offer.get("provider").text(),
                        offer
                            .get("endpoint")
                            .get("type")
                            .text()
                            .replace("FI_EP_", "")
                            .toLowerCase(Locale.ROOT),
                        offer
                            .get("addressFormat")
                            .text()
                            .replace("FI_SOCKADDR_", "")
                            .toLowerCase(Locale.ROOT),
                        offer.get("domain").get("name").text(),
                        offer.get("fabric").text(),
                        offer.get("endpoint").get("protocol").text(),
                        offer.get("providerVersion").text()))
                .toList());
    assertThat(rows)
        .anyMatch(row -> row.subList(0, 4).equals(List.of("udp", "dgram", "in", "lo")))
        .anyMatch(row -> row.subList(0, 4).equals(List.of("tcp", "rdm", "in", "lo")));
    assertThat(CommandRun.of("info", "--list").out().lines()).contains("udp", "tcp");
  }

  @Test
  void verboseAndJsonSayTheSame() {
    String[] hints = {
      "-p", "udp", "-f", "in", "-n", "127.0.0.1", "-s", "5000", "-c", "msg|FI_SOURCE"
    };
    CommandRun text = CommandRun.of(with(hints, "-v"));
    CommandRun json = CommandRun.of(with(hints, "--json"));
    assertThat(text.code()).isZero();
    Value offer = json.json().get("offers").list().getFirst();
    assertThat(offer.get("destination").text()).isEqualTo("fi_sockaddr_in://127.0.0.1:5000");
    assertThat(offer.get("endpoint").get("type").text()).isEqualTo("FI_EP_DGRAM");
    List<String> caps = offer.get("capabilities").list().stream().map(Value::text).toList();
    assertThat(caps).contains("FI_MSG", "FI_SOURCE");
    assertThat(text.out())
        .contains(
            "caps: [ " + String.join(", ", caps) + " ]",
            "dest_addr: fi_sockaddr_in://127.0.0.1:5000",
            "max_msg_size: " + (long) offer.get("endpoint").get("maxMessageSize").number());
  }

  @Test
  void reliableEndpointsAreThoseOverTcp() {
    CommandRun run = CommandRun.of("info", "-e", "rdm", "-c", "msg,tagged,source", "--json");
    assertThat(run.code()).isZero();
    List<Value> offers = run.json().get("offers").list();
    assertThat(offers)
        .isNotEmpty()
        .allSatisfy(offer -> {
          assertThat(offer.get("provider").text()).isEqualTo("tcp");
          assertThat(offer.get("endpoint").get("type").text()).isEqualTo("FI_EP_RDM");
          assertThat(offer.get("endpoint").get("protocol").text()).isEqualTo("XNET");
          assertThat(offer.get("capabilities").list().stream().map(Value::text))
              .contains("FI_MSG", "FI_TAGGED", "FI_SOURCE")
              .doesNotContain("FI_SOURCE_ERR");
        });
  }

  @Test
  void refusalsHaveReasonsAndStatus61() {
    CommandRun run = CommandRun.of("info", "-p", "udp", "-e", "rdm", "--json");
    assertThat(run.code()).isEqualTo(61);
    assertThat(run.err()).contains("FI_ENODATA", "udp", "RDM");
    Value json = run.json();
    assertThat(json.get("offers").list()).isEmpty();
    Value refusal = json.get("refusals").list().getFirst();
    assertThat(refusal.get("provider").text()).isEqualTo("udp");
    assertThat(refusal.get("errno").number()).isEqualTo(61);
    assertThat(refusal.get("reason").text()).contains("RDM");

    CommandRun missing = CommandRun.of("info", "-p", "no-such-provider");
    assertThat(missing.code()).isEqualTo(61);
    assertThat(missing.err()).contains("no-such-provider");
  }

  /** A reason can be typed as it is shown; what the user typed stays as it is. */
  @Test
  void refusalsAreSpeltAsTheCommandLineIs() {
    assertThat(CommandRun.of("info", "-p", "udp", "-e", "msg").err())
        .contains("udp: endpoint type FI_EP_MSG: datagrams have FI_EP_DGRAM only");
    assertThat(CommandRun.of("info", "-p", "tcp", "-e", "dgram").err())
        .contains(
            "tcp: endpoint type FI_EP_DGRAM: endpoints over TCP have FI_EP_RDM and FI_EP_MSG only");
    assertThat(CommandRun.of("info", "-c", "atomic").err())
        .contains("capabilities FI_ATOMIC: datagrams have [FI_MSG, FI_RECV, FI_SEND, ")
        .contains("capabilities FI_ATOMIC: endpoints over TCP have [FI_MSG, ");
    assertThat(CommandRun.of("info", "-f", "efa").err())
        .contains("address format FI_ADDR_EFA: there are [FI_SOCKADDR, ");
    assertThat(CommandRun.of("info", "--numeric-host", "-n", "localhost").err())
        .contains("\"localhost\"", "FI_NUMERICHOST", "give an address");
    assertThat(CommandRun.of("pingpong", "-p", "udp", "-e", "rdm").err()).contains("FI_EP_RDM");
    assertThat(FabricNames.spelt("address format \"EFA\" is STR"))
        .isEqualTo("address format \"EFA\" is FI_ADDR_STR");
  }

  @Test
  void providersAreKnownInAnyCase() {
    assertThat(CommandRun.of("info", "-p", "UDP")).isEqualTo(CommandRun.of("info", "-p", "udp"));
    assertThat(CommandRun.withInput("", "av", "-p", "Udp").code()).isZero();
  }

  /** That would load it, which takes longer than the command. */
  @Test
  void libfabricIsNotAskedUnlessItIsNamed() {
    CommandRun run = CommandRun.of("info", "--json");
    assertThat(run.json().get("refusals").list()).isEmpty();
    assertThat(run.json().get("offers").list())
        .isNotEmpty()
        .allSatisfy(offer -> assertThat(offer.get("provider").text()).isIn("udp", "tcp"));
  }

  /** Where it is not installed, the reason is there. */
  @Test
  void libfabricIsAskedForANameOfItsOwn() {
    CommandRun run = CommandRun.of("info", "-p", "shm", "--json");
    String answers = run.code() == 0 ? "offers" : "refusals";
    assertThat(run.code()).isIn(0, 61);
    assertThat(run.json().get(answers).list())
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.get("provider").text()).isEqualTo("shm"));
  }

  @Test
  void nativeOffersAreAllOrThoseOfOneName() {
    assertThat(CommandRun.of("info", "--native", "-l").out())
        .contains("shm", "efa")
        .doesNotContainPattern("(?m)^udp$");
    CommandRun both = CommandRun.of("info", "--native", "-p", "shm");
    assertThat(both.code()).isEqualTo(2);
    assertThat(both.err()).contains("leave one out");
  }

  @Test
  void wordsThatMeanNothingAreUsageErrors() {
    for (String[] args :
        List.of(
            new String[] {"info", "-e", "teleport"},
            new String[] {"info", "-f", "postal"},
            new String[] {"info", "-c", "FI_TELEPATHY"},
            new String[] {"info", "--api", "two"})) {
      CommandRun run = CommandRun.of(args);
      assertThat(run.code()).as(String.join(" ", args)).isEqualTo(2);
      assertThat(run.err()).contains(args[2]);
    }
  }

  @Test
  void everyCapabilityIsKnownByBothNames() {
    for (Capability capability : Capability.values()) {
      assertThat(FabricNames.capabilities(FabricNames.of(capability))).containsExactly(capability);
      assertThat(FabricNames.capabilities(capability.name())).containsExactly(capability);
    }
  }

  @Test
  void shortWordsAreTakenByTheOptions() {
    for (AddressFormat format : AddressFormat.values()) {
      assertThat(FabricNames.format(FabricNames.word(format))).isEqualTo(format);
    }
    for (EndpointType type : EndpointType.values()) {
      assertThat(FabricNames.endpointType(FabricNames.word(type))).isEqualTo(type);
    }
  }

  private static String[] with(String[] hints, String last) {
    String[] args = new String[hints.length + 2];
    args[0] = "info";
    System.arraycopy(hints, 0, args, 1, hints.length);
    args[args.length - 1] = last;
    return args;
  }
}
