// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.info;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressResolver;
import org.ofi4j.ApiVersion;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.NodeService;
import org.ofi4j.Printable;
import org.ofi4j.Refusal;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.InstalledProviders;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.KnownWords;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.spi.FabricProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** {@code ofi4j info}, in the spirit of fi_info(1). */
@Command(
    name = "info",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Asks the installed providers, as fi_getinfo does, what they offer for the given hints."
            + " Without hints it lists everything but what the installed libfabric has: that takes"
            + " --native or a name. When nothing fits, the refusals say which provider missed which"
            + " hint, and the exit status is 61.",
    footer = {
      "  ofi4j info                          what there is",
      "  ofi4j info -p udp -v                every attribute of the udp provider",
      "  ofi4j info --native                 what the installed libfabric has",
      "  ofi4j info -p shm                   its shared memory alone",
      "  ofi4j info -e dgram -c msg,source   who tells the source of datagrams",
      "  ofi4j info -n 127.0.0.1 -s 5000     how to reach a peer",
      "  ofi4j info -e rdm -c rma --json     the refusals, for a program"
    })
public final class InfoCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      description = "Ask this provider alone.")
  private @Nullable String provider;

  @Option(
      names = "--native",
      description =
          "Ask for all that the installed libfabric has. Without it libfabric is asked only for a"
              + " NAME of its own.")
  private boolean overLibfabric;

  @Option(
      names = {"-e", "-t", "--endpoint"},
      completionCandidates = KnownWords.EndpointTypes.class,
      paramLabel = "TYPE",
      description = "What endpoints must promise: msg, dgram or rdm.")
  private @Nullable String endpointType;

  @Option(
      names = {"-f", "-a", "--format"},
      completionCandidates = KnownWords.Formats.class,
      paramLabel = "FORMAT",
      description = "Address format: in, in6, ip, sockaddr, str ...")
  private @Nullable String format;

  @Option(
      names = {"-c", "--caps"},
      completionCandidates = KnownWords.Capabilities.class,
      paramLabel = "LIST",
      description = "Capabilities that are needed, such as FI_MSG|FI_SOURCE or msg,source.")
  private @Nullable String caps;

  @Option(
      names = {"-n", "--node"},
      paramLabel = "NODE",
      description = "The peer's host name, numeric address or whole address as text.")
  private @Nullable String node;

  @Option(
      names = {"-s", "-P", "--service"},
      paramLabel = "SERVICE",
      description = "The peer's port number or service name.")
  private @Nullable String service;

  @Option(names = "--source", description = "Node and service are one's own, as with FI_SOURCE.")
  private boolean source;

  @Option(
      names = "--numeric-host",
      description = "The node is numeric and never looked up, as with FI_NUMERICHOST.")
  private boolean numericHost;

  @Option(
      names = "--api",
      paramLabel = "VERSION",
      description =
          "The version of libfabric's interface to ask with, such as 1.20. Default:"
              + " ${DEFAULT-VALUE}.",
      defaultValue = "latest")
  private String api = "latest";

  @Option(
      names = {"-l", "--list"},
      description = "List the installed providers by name, and nothing else.")
  private boolean list;

  @Option(
      names = {"-v", "--verbose"},
      description = "Print every attribute.")
  private boolean verbose;

  @Option(names = "--json", description = "Print one JSON document with every attribute.")
  private boolean json;

  public InfoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (overLibfabric && provider != null) {
      throw new CommandException(
          ExitCode.USAGE,
          "--native asks for all that libfabric has, and -p for one: leave one out");
    }
    List<FabricProvider> providers =
        overLibfabric ? InstalledProviders.overLibfabric() : InstalledProviders.all();
    if (providers.isEmpty()) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          "no such provider is installed: add %s to the module path"
              .formatted(overLibfabric ? "ofi4j-provider-libfabric" : "ofi4j-provider-net"));
    }
    if (list) {
      list(providers);
      return ExitCode.OK;
    }
    Hints hints = hints();
    InfoAnswer answer =
        overLibfabric ? Fabrics.info(hints, providers) : InstalledProviders.info(hints);
    InfoReport report = new InfoReport(terminal);
    if (json) {
      report.json(answer);
    } else if (verbose) {
      report.all(answer);
    } else {
      report.brief(answer);
    }
    if (answer.offers().isEmpty()) {
      refuse(answer.refusals());
      return ExitCode.NOTHING_FITS;
    }
    return ExitCode.OK;
  }

  private Hints hints() {
    Hints hints = Hints.of(version()).withProvider(FabricNames.provider(provider));
    if (node != null || service != null) {
      NodeService named = new NodeService(node, service);
      hints = source ? hints.withSource(named) : hints.withDestination(named);
    }
    if (endpointType != null) {
      hints = hints.withEndpointType(FabricNames.endpointType(endpointType));
    }
    if (format != null) {
      hints = hints.withAddressFormat(FabricNames.format(format));
    }
    if (caps != null) {
      hints = hints.withCapabilities(FabricNames.capabilities(caps));
    }
    if (numericHost) {
      hints = hints.withResolver(AddressResolver.numericOnly());
    }
    return hints;
  }

  private ApiVersion version() {
    if (api.equals("latest")) {
      return ApiVersion.LATEST;
    }
    if (!api.matches("[0-9]{1,5}\\.[0-9]{1,5}")) {
      throw new CommandException(
          ExitCode.USAGE, "--api takes a version such as 1.20, not \"" + api + "\"");
    }
    int dot = api.indexOf('.');
    return new ApiVersion(
        Integer.parseInt(api.substring(0, dot)), Integer.parseInt(api.substring(dot + 1)));
  }

  private void list(List<FabricProvider> providers) {
    if (json) {
      try (JsonGenerator document = new JsonDocument(terminal.out())) {
        document.writeStartObject().writeArrayPropertyStart("providers");
        providers.forEach(each -> each.names().forEach(document::writeString));
      }
      return;
    }
    providers.forEach(each -> each.names().forEach(terminal.out()::println));
  }

  private void refuse(List<Refusal> refusals) {
    terminal.out().flush();
    terminal.err().println("ofi4j info: nothing meets the hints (FI_ENODATA, 61)");
    for (Refusal refusal : refusals) {
      terminal
          .err()
          .println(
              Printable.line(
                  "  %s: %s (%s)"
                      .formatted(
                          refusal.provider(),
                          FabricNames.spelt(refusal.reason()),
                          refusal.errno())));
    }
  }
}
