// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import static java.util.Objects.requireNonNullElse;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Printable;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.EnumWords;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.Holding;
import org.ofi4j.cli.output.KnownWords;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Progress;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.AddressSearch;
import org.ofi4j.cli.peers.BadLine;
import org.ofi4j.cli.peers.Conversion;
import org.ofi4j.cli.peers.HostsFile;
import org.ofi4j.cli.peers.LoadSummary;
import org.ofi4j.cli.peers.LookupRates;
import org.ofi4j.cli.peers.PeerLoader;
import org.ofi4j.cli.peers.VectorSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j av}: a vector from lists of peers, and questions to it. */
@Command(
    name = "av",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Reads lists of peers, one per line, inserts them into a new address vector in the order of"
          + " their lines, and answers questions about it. Every line that does not get in is named"
          + " on standard error with its number and the reason; then the exit status is 1.",
      "",
      "A line is one of:",
      "  10.1.1.7:5000                    numeric address, port or service name",
      "  [2001:db8::7]:5000               IPv6 in brackets",
      "  fi_sockaddr_in://10.1.1.7:5000   an address as libfabric prints it",
      "  node17:5000                      a host name, looked up beside others",
      "  10.1.1.0x64:5000x4               64 addresses in a row, 4 ports on each",
      "  [2001:db8::1]x16:5000            16 IPv6 addresses in a row",
      "  rack07-node[001]x64:5000x4       rack07-node001 to -node064, 4 ports on each",
      "  # a comment, also behind a peer"
    },
    footer = {
      "  ofi4j av data/peers.txt --hosts data/hosts    what is wrong with the list",
      "  ofi4j av peers.txt --lookup 17 --find 10.1.1.7:5000",
      "  ofi4j av peers.txt --print | head             each handle and its address",
      "  seq -f 10.1.1.%%g:5000 1 100 | ofi4j av --json -",
      "  ofi4j av peers.txt --name job17 --stay        share them with other processes",
      "  ofi4j av --name job17 --lookup 17             ask the vector of a job",
      "  ofi4j av stat                                 which vectors are shared",
      "  ofi4j av --convert fi_sockaddr_in://10.31.6.1:7471",
      "  ofi4j av --convert 02001d2f0a1f06010000000000000000"
    })
public final class AvCommand implements Callable<Integer> {
  private final Terminal terminal;

  /** Types that a user may ask for. */
  static final class TypeWords extends EnumWords<VectorType> {
    TypeWords() {
      super(List.of(VectorType.TABLE, VectorType.MAP));
    }
  }

  static final class DuplicatesWords extends EnumWords<DuplicatePolicy> {
    DuplicatesWords() {
      super(List.of(DuplicatePolicy.REJECT, DuplicatePolicy.SHARE, DuplicatePolicy.NEW_INDEX));
    }
  }

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "Lists of peers; - or none is standard input.")
  private List<String> files = List.of();

  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      description = "The provider whose vector to build. Default: the best one.")
  private @Nullable String provider;

  @Option(
      names = {"-f", "--format"},
      completionCandidates = KnownWords.Formats.class,
      paramLabel = "FORMAT",
      description =
          "Address format of the vector: ip (IPv4 and IPv6, the default), in, in6, sockaddr, str."
              + " With --convert, the format of hexadecimal input.")
  private @Nullable String format;

  @Option(
      names = {"-n", "--name"},
      paramLabel = "NAME",
      description =
          "The vector that all processes of this user share under this name. If it is not there, it"
              + " is made, as long as peers are read into it. Type, format and duplicates are as it"
              + " has them. Without FILE, nothing is read, and the vector only asked.")
  private @Nullable String name;

  @Option(
      names = "--domain",
      completionCandidates = KnownWords.Domains.class,
      paramLabel = "DOMAIN",
      description = "With --name: the domain in which the vector is. Default: wherever it is.")
  private @Nullable String domain;

  @Option(
      names = "--stay",
      description =
          "With --name: stay after all is done, until Ctrl-C. The last process that leaves a named"
              + " vector takes it along.")
  private boolean stay;

  @Option(
      names = {"-t", "--type"},
      paramLabel = "TYPE",
      converter = TypeWords.class,
      completionCandidates = TypeWords.class,
      description = "Type of the vector: table or map. Default: table.")
  private @Nullable VectorType type;

  @Option(
      names = {"-d", "--duplicates"},
      paramLabel = "POLICY",
      converter = DuplicatesWords.class,
      completionCandidates = DuplicatesWords.class,
      description =
          "What becomes of an address that is there already: reject names its line, share gives"
              + " the same handle, new-index another. Default: reject.")
  private @Nullable DuplicatePolicy duplicates;

  @Option(
      names = {"-s", "--service"},
      paramLabel = "SERVICE",
      description = "Port or service name of lines without one.")
  private @Nullable String service;

  @Option(
      names = "--hosts",
      paramLabel = "FILE",
      description = "Look names up in this file, in the syntax of hosts(5), and nowhere else.")
  private @Nullable String hosts;

  @Option(
      names = "--resolve-timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long to wait for a name. Default: ${DEFAULT-VALUE}.")
  private int resolveTimeout = 10;

  @Option(names = "--print", description = "Print handle and address of every peer.")
  private boolean print;

  @Option(
      names = "--lookup",
      paramLabel = "HANDLE",
      description = "Print the address of a handle (decimal, or hexadecimal with 0x). Repeatable.")
  private List<String> lookups = List.of();

  @Option(
      names = "--find",
      paramLabel = "ADDRESS",
      description = "Print the handle of an address. Repeatable.")
  private List<String> finds = List.of();

  @Option(
      names = "--convert",
      paramLabel = "TEXT|HEX",
      description =
          "Convert an address as text to its packed form in hexadecimal, or back. Repeatable;"
              + " without FILE nothing else is done.")
  private List<String> conversions = List.of();

  @Option(
      names = {"-q", "--quiet"},
      description = "Count bad lines, but do not name them.")
  private boolean quiet;

  @Option(names = "--json", description = "Print one JSON document; bad lines are part of it.")
  private boolean json;

  public AvCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    AvReport report = json ? new AvReport.AsJson(terminal) : new AvReport.AsText(terminal, print);
    AddressFormat wanted = format == null ? AddressFormat.UNSPECIFIED : FabricNames.format(format);
    try {
      boolean good = conversions.isEmpty() || convert(report, wanted);
      if (conversions.isEmpty() || !files.isEmpty() || name != null) {
        good &= build(report, wanted);
      }
      report.end(null);
      return good ? ExitCode.OK : ExitCode.FAILED;
    } catch (IOException | FabricException | CommandException failure) {
      report.end(String.valueOf(failure.getMessage()));
      throw failure;
    }
  }

  private boolean convert(AvReport report, AddressFormat wanted) {
    boolean good = true;
    List<Conversion> results = new ArrayList<>();
    for (String input : conversions) {
      Conversion result = Conversion.of(input, wanted);
      good &= result.error() == null;
      results.add(result);
    }
    report.conversions(results);
    return good;
  }

  private boolean build(AvReport report, AddressFormat wanted) throws IOException {
    if (resolveTimeout < 1) {
      throw new CommandException(ExitCode.USAGE, "--resolve-timeout must be 1 or more seconds");
    }
    for (String file : files) {
      if (!file.equals("-")) {
        requireReadable(file);
      }
    }
    List<Long> handles = lookups.stream().map(AvCommand::handle).toList();
    AddressResolver resolver = resolver();
    if (name == null && (stay || domain != null)) {
      throw new CommandException(
          ExitCode.USAGE, "--stay and --domain are for a vector of a --name");
    }
    try (VectorSession session = open(wanted, resolver)) {
      AddressVector vector = session.vector();
      report.begin(session, sources());
      LoadSummary summary = load(vector, report);
      report.peers(vector, print);
      boolean good = summary.badLines() == 0;
      good &= lookUp(vector, handles, report);
      good &= find(vector, resolver, report);
      // Others may take away what would be measured.
      report.summary(summary, vector, name == null ? LookupRates.measure(vector) : null);
      if (stay && name != null) {
        terminal.out().flush();
        terminal.err().println("Vector " + Printable.line(name) + " is open; end with Ctrl-C.");
        Holding.untilInterrupted(session::close);
      }
      return good;
    }
  }

  private VectorSession open(AddressFormat wanted, AddressResolver resolver) {
    Hints hints = Hints.latest().withProvider(FabricNames.provider(provider)).withDomain(domain);
    VectorOptions options = options(resolver);
    if (name == null) {
      return VectorSession.open(
          VectorSession.forFormat(hints, wanted),
          options
              .withType(requireNonNullElse(type, VectorType.TABLE))
              .withDuplicates(requireNonNullElse(duplicates, DuplicatePolicy.REJECT)));
    }
    return new NamedVector(
            name, type, duplicates, format == null ? null : wanted, sources().isEmpty() && !stay)
        .open(hints, options);
  }

  private static void requireReadable(String file) throws IOException {
    Path path = Path.of(file);
    if (Files.isDirectory(path)) {
      throw new IOException(file + ": is a directory");
    }
    if (!Files.isReadable(path)) {
      throw new NoSuchFileException(file);
    }
  }

  private VectorOptions options(AddressResolver resolver) {
    VectorOptions options =
        VectorOptions.defaults().withResolutionTimeout(Duration.ofSeconds(resolveTimeout));
    return PeerLoader.prefetching(options, resolver);
  }

  private AddressResolver resolver() throws IOException {
    if (hosts == null) {
      return host -> List.of(InetAddress.getAllByName(host));
    }
    requireReadable(hosts);
    try (InputStream in = Files.newInputStream(Path.of(hosts))) {
      return HostsFile.read(in, hosts);
    }
  }

  private List<String> sources() {
    return files.isEmpty() && name == null ? List.of("-") : files;
  }

  private LoadSummary load(AddressVector vector, AvReport report) throws IOException {
    LoadSummary sum = LoadSummary.NONE;
    for (String file : sources()) {
      boolean standardInput = file.equals("-");
      if (standardInput && terminal.inIsTerminal()) {
        terminal.err().println("Reading peers from standard input; end with Ctrl-D.");
      }
      String name = standardInput ? "standard input" : file;
      long size = standardInput ? -1 : Files.size(Path.of(file));
      try (InputStream in =
              standardInput ? notClosed(terminal.in()) : Files.newInputStream(Path.of(file));
          Progress progress = new Progress(terminal, "reading", "bytes", size)) {
        PeerLoader.Listener listener =
            new PeerLoader.Listener() {
              @Override
              public void bad(BadLine line) {
                if (!quiet) {
                  progress.clearLine();
                  report.bad(line);
                }
              }

              @Override
              public void progress(long bytes, long lines) {
                progress.note("");
                progress.at(bytes);
              }

              @Override
              public void resolving(String host, long line) {
                progress.note(
                    Printable.line("looking up " + host + " of line " + Numbers.count(line)));
              }
            };
        sum = sum.plus(PeerLoader.load(vector, in, name, service, listener));
      }
    }
    return sum;
  }

  private static InputStream notClosed(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
          return in.read(bytes, offset, length);
        } catch (IOException failure) {
          throw new IOException(
              "standard input cannot be read: " + failure.getMessage() + "; give a FILE", failure);
        }
      }

      @Override
      public void close() {}
    };
  }

  private static long handle(String text) {
    try {
      return text.startsWith("0x")
          ? Long.parseUnsignedLong(text.substring(2), 16)
          : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new CommandException(
          ExitCode.USAGE, "--lookup takes a handle such as 17 or 0x11, not \"" + text + "\"");
    }
  }

  private static boolean lookUp(AddressVector vector, List<Long> handles, AvReport report) {
    boolean good = true;
    for (long handle : handles) {
      try {
        report.lookup(handle, vector.lookup(handle).toText(), null);
      } catch (FabricException refused) {
        good = false;
        report.lookup(handle, null, String.valueOf(refused.getMessage()));
      }
    }
    return good;
  }

  private boolean find(AddressVector vector, AddressResolver resolver, AvReport report) {
    boolean good = true;
    for (String input : finds) {
      AddressSearch search = AddressSearch.of(vector, input, service, resolver);
      good &= search.isFound();
      report.find(search);
    }
    return good;
  }
}
