// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.info;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Printable;
import org.ofi4j.Refusal;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.Folding;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import tools.jackson.core.JsonGenerator;

/** Prints what providers offer: in brief, in full, or as JSON. */
record InfoReport(Terminal terminal) {
  private static final List<String> COLUMNS =
      List.of("provider", "type", "format", "domain", "fabric", "protocol", "version");

  /** Prints a line for each offer, in the words that the options take. */
  void brief(InfoAnswer answer) {
    if (answer.offers().isEmpty()) {
      return;
    }
    List<List<String>> rows = answer.offers().stream().map(InfoReport::row).toList();
    int[] widths = new int[COLUMNS.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = COLUMNS.get(i).length();
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    terminal.out().println(terminal.dim(line(COLUMNS, widths)));
    rows.forEach(row -> terminal.out().println(line(row, widths)));
  }

  private static List<String> row(FabricInfo info) {
    return Stream.of(
            info.fabric().provider(),
            FabricNames.word(info.endpoint().type()),
            FabricNames.word(info.addressFormat()),
            info.domain().name(),
            info.fabric().name(),
            info.endpoint().protocol(),
            info.fabric().providerVersion())
        .map(value -> value.isBlank() ? "-" : Printable.line(value))
        .toList();
  }

  private String line(List<String> row, int[] widths) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      cells.add(row.get(i) + " ".repeat(widths[i] - row.get(i).length() + 2));
    }
    return Folding.row(cells, terminal.foldColumns());
  }

  void all(InfoAnswer answer) {
    for (FabricInfo info : answer.offers()) {
      FabricInfo.DomainAttributes domain = info.domain();
      FabricInfo.EndpointAttributes endpoint = info.endpoint();
      terminal.out().println(terminal.bold("fi_info:"));
      line(1, "caps", names(info.capabilities()));
      line(1, "addr_format", FabricNames.of(info.addressFormat()));
      line(1, "src_addr", text(info.source()));
      line(1, "dest_addr", text(info.destination()));
      line(1, "api_version", info.apiVersion().toString());
      line(1, "profile", info.profile().name());
      section("fi_tx_attr");
      line(2, "inject_size", limit(info.transmit().injectSize()));
      line(2, "size", limit(info.transmit().size()));
      section("fi_rx_attr");
      line(2, "size", limit(info.receive().size()));
      section("fi_ep_attr");
      line(2, "type", FabricNames.of(endpoint.type()));
      line(2, "protocol", endpoint.protocol());
      line(2, "max_msg_size", limit(endpoint.maxMessageSize()));
      line(2, "tx_ctx_cnt", limit(endpoint.transmitContexts()));
      line(2, "rx_ctx_cnt", limit(endpoint.receiveContexts()));
      section("fi_domain_attr");
      line(2, "name", domain.name());
      line(2, "caps", names(domain.capabilities()));
      line(2, "threading", FabricNames.of(domain.threading()));
      line(2, "progress", FabricNames.of(domain.progress()));
      line(2, "av_type", FabricNames.of(domain.vectorType()));
      line(2, "max_group_id", limit(domain.maxGroupId()));
      line(2, "auth_key_size", keySize(domain.authKeySize()));
      line(2, "max_ep_auth_key", limit(domain.maxEndpointAuthKeys()));
      line(2, "max_ep_tx_ctx", limit(domain.maxEndpointTransmitContexts()));
      line(2, "max_ep_rx_ctx", limit(domain.maxEndpointReceiveContexts()));
      line(2, "max_err_data", limit(domain.maxErrorData()));
      section("fi_fabric_attr");
      line(2, "name", info.fabric().name());
      line(2, "prov_name", info.fabric().provider());
      line(2, "prov_version", info.fabric().providerVersion());
    }
  }

  void json(InfoAnswer answer) {
    try (JsonGenerator json = new JsonDocument(terminal.out())) {
      json.writeStartObject().writeArrayPropertyStart("offers");
      for (FabricInfo info : answer.offers()) {
        offer(json, info);
      }
      json.writeEndArray().writeArrayPropertyStart("refusals");
      for (Refusal refusal : answer.refusals()) {
        json.writeStartObject()
            .writeStringProperty("provider", refusal.provider())
            .writeNumberProperty("errno", refusal.errno().number())
            .writeStringProperty("name", refusal.errno().name())
            .writeStringProperty("reason", FabricNames.spelt(refusal.reason()))
            .writeEndObject();
      }
    }
  }

  private static void offer(JsonGenerator json, FabricInfo info) {
    FabricInfo.DomainAttributes domain = info.domain();
    FabricInfo.EndpointAttributes endpoint = info.endpoint();
    json.writeStartObject()
        .writeStringProperty("provider", info.fabric().provider())
        .writeStringProperty("providerVersion", info.fabric().providerVersion())
        .writeStringProperty("fabric", info.fabric().name())
        .writeStringProperty("apiVersion", info.apiVersion().toString())
        .writeStringProperty("profile", info.profile().name())
        .writeStringProperty("addressFormat", FabricNames.of(info.addressFormat()))
        .writeStringProperty("source", info.source() == null ? null : info.source().toString())
        .writeStringProperty(
            "destination", info.destination() == null ? null : info.destination().toString());
    capabilities(json, info.capabilities());
    json.writeObjectPropertyStart("domain")
        .writeStringProperty("name", domain.name())
        .writeStringProperty("vectorType", FabricNames.of(domain.vectorType()))
        .writeStringProperty("threading", FabricNames.of(domain.threading()))
        .writeStringProperty("progress", FabricNames.of(domain.progress()))
        .writeNumberProperty("maxGroupId", domain.maxGroupId())
        .writeNumberProperty("authKeySize", domain.authKeySize())
        .writeNumberProperty("maxEndpointAuthKeys", domain.maxEndpointAuthKeys())
        .writeNumberProperty("maxEndpointTransmitContexts", domain.maxEndpointTransmitContexts())
        .writeNumberProperty("maxEndpointReceiveContexts", domain.maxEndpointReceiveContexts())
        .writeNumberProperty("maxErrorData", domain.maxErrorData());
    capabilities(json, domain.capabilities());
    json.writeEndObject()
        .writeObjectPropertyStart("endpoint")
        .writeStringProperty("type", FabricNames.of(endpoint.type()))
        .writeStringProperty("protocol", endpoint.protocol())
        .writeNumberProperty("maxMessageSize", endpoint.maxMessageSize())
        .writeNumberProperty("transmitContexts", endpoint.transmitContexts())
        .writeNumberProperty("receiveContexts", endpoint.receiveContexts())
        .writeEndObject()
        .writeObjectPropertyStart("transmit")
        .writeNumberProperty("injectSize", info.transmit().injectSize())
        .writeNumberProperty("size", info.transmit().size())
        .writeEndObject()
        .writeObjectPropertyStart("receive")
        .writeNumberProperty("size", info.receive().size())
        .writeEndObject()
        .writeEndObject();
  }

  private static void capabilities(JsonGenerator json, long caps) {
    json.writeArrayPropertyStart("capabilities");
    FabricNames.capabilities(caps).forEach(json::writeString);
    json.writeEndArray();
  }

  private void section(String name) {
    terminal.out().println("    " + terminal.bold(name + ":"));
  }

  private void line(int depth, String name, String value) {
    String line = "    ".repeat(depth) + name + ": " + value;
    terminal.printFolded(line, 4 * depth + 2);
  }

  private static String names(long caps) {
    List<String> names = FabricNames.capabilities(caps);
    return names.isEmpty() ? "[ ]" : "[ " + String.join(", ", names) + " ]";
  }

  private static String text(@Nullable FabricAddress address) {
    return address == null ? "(null)" : address.toString();
  }

  private static String limit(long value) {
    return value == Long.MAX_VALUE || value == -1 ? "unlimited" : Numbers.format("%d", value);
  }

  private static String keySize(long value) {
    return value == FabricInfo.DomainAttributes.KEYS_IN_VECTOR
        ? "FI_AV_AUTH_KEY"
        : Numbers.format("%d", value);
  }
}
