// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.KnownWords;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j pingpong}: either side may be libfabric's fi_pingpong(1). */
@Command(
    name = "pingpong",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Sends messages to and fro and measures how long that takes. Without HOST it is a server that"
          + " waits for one client, serves it and ends. Speaks the control protocol of libfabric's"
          + " fi_pingpong, with the same options, so either side can be that program; both sides"
          + " need the same -I, -S, -c, -e and -m.",
      "",
      "Datagrams go over udp, reliable messages (-e rdm, or -e msg between endpoints that connect)"
          + " over tcp. libfabric 1.17 calls the same protocol net; from 1.18 on it is tcp there"
          + " too. Over the installed libfabric (ofi4j info --native) both sides have the same -p,"
          + " there without libfabric: before it.",
      "",
      "The table is fi_pingpong's with three columns more: p50, p99 and max of half a round trip in"
          + " microseconds. A JVM starts slowly and gets faster: measure with -I 10000 or more."
    },
    footer = {
      "  ofi4j pingpong -I 10000                     a server ...",
      "  ofi4j pingpong -I 10000 127.0.0.1           ... and its client",
      "  ofi4j pingpong -c                           a server for the C program:",
      "  fi_pingpong -p udp -e dgram -c 10.1.1.7",
      "  fi_pingpong -p udp -e dgram -S all -c       the C program as server:",
      "  ofi4j pingpong -S all -c 10.1.1.7",
      "  ofi4j pingpong -e rdm -m tagged -S all      tagged messages over TCP:",
      "  fi_pingpong -p net -e rdm -m tagged -S all 10.1.1.7",
      "  ofi4j pingpong -p shm -e rdm                shared memory of one host:",
      "  fi_pingpong -p shm -e rdm 127.0.0.1"
    })
public final class PingpongCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(
      paramLabel = "HOST",
      arity = "0..1",
      description = "The server to connect to; without one, be the server.")
  private @Nullable String host;

  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      description = "The provider. Default: the best one for the endpoint type.")
  private @Nullable String provider;

  @Option(
      names = {"-e", "--endpoint"},
      completionCandidates = KnownWords.EndpointTypes.class,
      paramLabel = "TYPE",
      defaultValue = "dgram",
      description = "Endpoint type: msg, rdm or dgram. Default: ${DEFAULT-VALUE}.")
  private String endpointType = "dgram";

  @Option(
      names = {"-I", "--iterations"},
      paramLabel = "NUMBER",
      defaultValue = "10",
      description = "Round trips of each size. Default: ${DEFAULT-VALUE}.")
  private int iterations = 10;

  @Option(
      names = {"-S", "--size"},
      paramLabel = "SIZE",
      description =
          "The only message size in bytes, or 'all': powers of two and the sizes half-way between"
              + " them. Default: 64, 256, 1024, 4096, 65536 and 1048576, as far as the endpoint"
              + " can send them (datagrams: up to 1472).")
  private @Nullable String size;

  @Option(
      names = {"-c", "--check"},
      description = "Check every byte of every message.")
  private boolean check;

  @Option(
      names = {"-B", "--source-port"},
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Our control port. Default: 47592 for a server, any for a client.")
  private int sourcePort;

  @Option(
      names = {"-P", "--destination-port"},
      paramLabel = "PORT",
      defaultValue = "0",
      description = "The server's control port. Default: 47592.")
  private int destinationPort;

  @Option(
      names = {"-s", "--source"},
      paramLabel = "ADDRESS",
      description = "Our address for messages. Default: the one that the control connection has.")
  private @Nullable String sourceAddress;

  @Option(
      names = {"-d", "--domain"},
      completionCandidates = KnownWords.Domains.class,
      paramLabel = "DOMAIN",
      description = "The domain.")
  private @Nullable String domain;

  @Option(
      names = {"-f", "--fabric"},
      completionCandidates = KnownWords.Fabrics.class,
      paramLabel = "FABRIC",
      description = "The fabric.")
  private @Nullable String fabric;

  @Option(
      names = {"-m", "--mode"},
      completionCandidates = KnownWords.Modes.class,
      paramLabel = "MODE",
      defaultValue = "msg",
      description = "Kind of messages: msg or tagged. Default: ${DEFAULT-VALUE}.")
  private String mode = "msg";

  @Option(names = "-6", description = "Use IPv6.")
  private boolean ipv6;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "How long to wait for a message before giving up: datagrams may be lost, and peers go"
              + " away. A server waits for its client without end. Default: ${DEFAULT-VALUE}.")
  private int timeout = 10;

  @Option(
      names = {"-v", "--verbose"},
      description = "Tell each step on standard error.")
  private boolean verbose;

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  public PingpongCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    PingpongOptions options = options();
    PrintWriter err = terminal.err();
    Consumer<String> trace = verbose ? step -> err.println("[debug] " + step) : _ -> {};
    PingpongReport report =
        json
            ? new PingpongReport.AsJson(terminal, options)
            : new PingpongReport.AsText(terminal, options);
    try {
      Pingpong pingpong = new Pingpong(options, trace);
      pingpong.requireProvider();
      if (host == null && terminal.errIsTerminal() && !verbose) {
        err.println(
            "Waiting for one client; start it with the same options and our HOST: ofi4j pingpong"
                + " HOST, or fi_pingpong HOST");
      }
      pingpong.run(report);
    } catch (IOException | FabricException failure) {
      String sentence = String.valueOf(failure.getMessage());
      report.end(sentence);
      throw new CommandException(ExitCode.FAILED, sentence, failure);
    }
    report.end(null);
    return ExitCode.OK;
  }

  private PingpongOptions options() {
    check(iterations >= 0, "-I takes a number from 0, not " + iterations);
    check(isPort(sourcePort), "-B takes a port from 0 to 65535, not " + sourcePort);
    check(isPort(destinationPort), "-P takes a port from 0 to 65535, not " + destinationPort);
    check(timeout >= 1, "--timeout takes a number from 1, not " + timeout);
    String kind = mode.toLowerCase(Locale.ROOT);
    check(kind.equals("msg") || kind.equals("tagged"), "-m takes msg or tagged, not " + mode);
    boolean all = size != null && size.equalsIgnoreCase("all");
    return new PingpongOptions(
        host,
        FabricNames.provider(provider),
        domain,
        fabric,
        FabricNames.endpointType(endpointType),
        kind.equals("tagged"),
        iterations,
        size == null || all ? -1 : sizeInBytes(size),
        all,
        check,
        sourcePort,
        destinationPort,
        sourceAddress,
        ipv6,
        Duration.ofSeconds(timeout));
  }

  private static int sizeInBytes(String text) {
    check(text.matches("[0-9]{1,9}"), "-S takes a number of bytes or all, not " + text);
    return Integer.parseInt(text);
  }

  private static boolean isPort(int port) {
    return port >= 0 && port <= 0xFFFF;
  }

  private static void check(boolean right, String mistake) {
    if (!right) {
      throw new CommandException(ExitCode.USAGE, mistake);
    }
  }
}
