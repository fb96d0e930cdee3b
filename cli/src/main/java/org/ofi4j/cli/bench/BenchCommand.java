// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Hints;
import org.ofi4j.benchmarks.messaging.Contestant;
import org.ofi4j.benchmarks.messaging.Cost;
import org.ofi4j.benchmarks.messaging.CostsOptions;
import org.ofi4j.benchmarks.messaging.MessagingOptions;
import org.ofi4j.benchmarks.named.NamedBenchmark;
import org.ofi4j.benchmarks.named.NamedOptions;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.vector.BenchmarkOptions;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.CommandJvm;
import org.ofi4j.cli.output.EnumWords;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.KnownWords;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.VectorSession;
import org.ofi4j.stress.chaos.ChaosOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code ofi4j bench}: measures vectors and messages, and compares them with libfabric. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "av: does everything with address vectors that takes time: bulk and single insertion,"
          + " insertsym, lookup, reverse lookup, removal, churn; of addresses in and without order,"
          + " IPv4 and IPv6; and says what each costs in nanoseconds and bytes for each peer."
          + " \"Times\" says how many times as long libfabric udp takes.",
      "",
      "pingpong: sends messages of several sizes over tcp between two processes of this machine,"
          + " to and fro one at a time, then one way 64 at a time; and says how long a round trip"
          + " takes (its median, and what 90, 99 and 99.9 %% of them stay below), how many messages"
          + " and how many bytes go through in a second, and how many system calls a round trip"
          + " takes (with perf). \"Times\" is ofi4j's figure over that of the other one. It needs"
          + " two processors that do nothing else, and half a minute for each contestant. All"
          + " contestants alternate, so that ratios hold although the machine is slower at times.",
      "",
      "costs: measures what messages over tcp cost besides time: the processor time of a fresh JVM"
          + " to its first message, also with an ahead-of-time cache; a round trip after 4 s of use"
          + " beside one after 60 s; the first 50,000 round trips of ofi4j pingpong and of"
          + " fi_pingpong; the processor time of a streamed message; the heap"
          + " of a server for each of 1,000 connections that are idle; and its processor time for a"
          + " request from one of them. Over another provider, such as -p shm, it measures the"
          + " processor time of a message to oneself alone.",
      "",
      "named: opens vectors that have their entries already, by name while another process has"
          + " them open, and from saved files, again and again and once in fresh JVMs; has more and"
          + " more processes open one of a million peers and says what memory each of them takes;"
          + " looks up and searches by turns in it and in a private vector; and lets more and more"
          + " processes insert at the same time. All vectors are in a directory of the run.",
      "",
      "chaos: processes insert, remove, look up and search in one named vector; some are killed"
          + " at any moment, some stopped for a while. After each kill the vector's files are"
          + " checked and held against what the dead had confirmed. It measures nothing but how"
          + " soon others go on; the exit status is 1 if anything is not as it must be.",
      "",
      "With --compare libfabric its providers do the same work by turns with ofi4j, driven by a C"
          + " program that is compiled for the purpose: that needs a C compiler and libfabric's"
          + " headers. Messages can also be compared with what an application would use instead:"
          + " netty-epoll and netty-nio (an event loop for each process, 16 short messages a"
          + " flush), channel (a blocking SocketChannel), batched-channel (with 16 short messages a"
          + " write), and aeron (Aeron IPC, which polls; compare it with -p memory). A figure is"
          + " the median of the rounds after warm-up, with the least and the most beside it."
          + " Figures of a busy machine are worth little."
    },
    footer = {
      "  ofi4j bench av                                 ofi4j alone, 1k to 16M peers",
      "  ofi4j bench av --peers 1M --compare libfabric  against libfabric",
      "  ofi4j bench av --sizes 1k,64k --rounds 5       quickly",
      "  ofi4j bench av --compare libfabric --json > bench.json --plot bench.svg",
      "  ofi4j bench pingpong --compare libfabric       messages, a minute",
      "  ofi4j bench pingpong --mode spinning,blocking,auto --compare all    minutes",
      "  ofi4j bench pingpong -p shm --compare libfabric,aeron               8 bytes and more",
      "  ofi4j bench pingpong --sizes 64 --rounds 3     quickly",
      "  ofi4j bench pingpong -p shm                    over libfabric's shared memory",
      "  ofi4j bench costs --compare netty-epoll        five minutes",
      "  ofi4j bench costs --only warm-up               after 4 s and after 60 s",
      "  ofi4j bench costs --only first-round-trips --mode spinning --compare libfabric",
      "  ofi4j bench costs -p shm --mode spinning,domain --compare libfabric",
      "  ofi4j bench named                              of several processes, 45 s",
      "  ofi4j bench named --peers 64k --rounds 3       quickly",
      "  ofi4j bench chaos --kills 20                   half a minute",
      "  ofi4j bench chaos --kills 1000 --processes 16  long"
    })
public final class BenchCommand implements Callable<Integer> {
  private static final int CHAOS_PROCESSES = 6;
  private static final int NAMED_PROCESSES = 4;

  private final Terminal terminal;

  @Spec private @Nullable CommandSpec spec;

  /** What there is to measure. */
  enum Subject {
    AV,
    PINGPONG,
    COSTS,
    NAMED,
    CHAOS;

    /** The options that it takes. */
    private List<String> options() {
      String common = "--strict --plot --json";
      String all =
          switch (this) {
            case AV -> "--peers --sizes --large --compare --rounds --shown-peers --time " + common;
            case PINGPONG -> "--provider --mode --sizes --compare --rounds " + common;
            case COSTS ->
                "--provider --mode --only --compare --connections --seconds --rounds --plot --json";
            case NAMED -> "--peers --sizes --rounds --processes " + common;
            case CHAOS -> "--kills --processes --seed --json";
          };
      return List.of(all.split(" "));
    }

    /** Refuses an option that would be of no effect. */
    void check(Collection<OptionSpec> given) {
      List<String> options = options();
      for (OptionSpec option : given) {
        if (!options.contains(option.longestName())) {
          throw new CommandException(
              ExitCode.USAGE,
              "%s does not go with %s, which takes %s"
                  .formatted(option.longestName(), this, String.join(", ", options)));
        }
      }
    }

    @Override
    public String toString() {
      return EnumWords.of(this);
    }
  }

  /** What there is to compare with. */
  enum Other {
    LIBFABRIC,
    NETTY_EPOLL,
    NETTY_NIO,
    CHANNEL,
    BATCHED_CHANNEL,
    AERON,
    ALL
  }

  /** How ofi4j waits and progresses. */
  enum Mode {
    SPINNING,
    DOMAIN,
    BLOCKING,
    AUTO
  }

  /** The costs of messages. */
  enum Only {
    FIRST_MESSAGE,
    FIRST_MESSAGE_CACHED,
    WARM_UP,
    FIRST_ROUND_TRIPS,
    STREAM,
    CONNECTIONS,
    TO_ITSELF
  }

  static final class OnlyWords extends EnumWords<Only> {
    OnlyWords() {
      super(List.of(Only.values()));
    }
  }

  static final class ModeWords extends EnumWords<Mode> {
    ModeWords() {
      super(List.of(Mode.values()));
    }
  }

  /** Numbers such as 64k and 16M. */
  static final class SizeWords implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      try {
        return BenchSizes.parse(value);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    }
  }

  /** What time is measured by. */
  enum Time {
    WALL,
    CPU
  }

  static final class TimeWords extends EnumWords<Time> {
    TimeWords() {
      super(List.of(Time.values()));
    }
  }

  static final class SubjectWords extends EnumWords<Subject> {
    SubjectWords() {
      super(List.of(Subject.values()));
    }
  }

  static final class OtherWords extends EnumWords<Other> {
    OtherWords() {
      super(List.of(Other.values()));
    }
  }

  @Parameters(
      paramLabel = "WHAT",
      converter = SubjectWords.class,
      completionCandidates = SubjectWords.class,
      description =
          "What to measure: av, the address vector; pingpong, messages over tcp; costs, what they"
              + " cost besides time; named, vectors that processes share; chaos, what survives kill"
              + " -9.")
  private Subject subject = Subject.AV;

  @Option(
      names = {"-n", "--peers"},
      paramLabel = "N",
      converter = SizeWords.class,
      description =
          "av, named: measure with this many peers only: a number, also as 64k or 16M. Above 2M"
              + " ofi4j is measured alone.")
  private @Nullable Long peers;

  @Option(
      names = "--sizes",
      paramLabel = "N",
      split = ",",
      description =
          "av, named: measure with each of these numbers of peers; default 1k,64k,1M,16M. pingpong:"
              + " with messages of each of these lengths in bytes, where 4k is 4096; default 1, 4,"
              + " 16 and so on to 1M.")
  private List<String> sizes = List.of();

  @Option(
      names = "--large",
      description = "av: measure with 100M peers too: 6 GB of memory, minutes.")
  private boolean large;

  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      defaultValue = "tcp",
      description =
          "pingpong, costs: what carries the messages: ${DEFAULT-VALUE}, through sockets; memory,"
              + " the same through memory that both processes share, beside libfabric's shm; or a"
              + " provider of libfabric.")
  private String provider = "tcp";

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      split = ",",
      converter = ModeWords.class,
      completionCandidates = ModeWords.class,
      description =
          "pingpong, costs: how ofi4j waits, each mode as a contestant of its own: spinning, a"
              + " thread polls its queue; domain, the same with FI_THREAD_DOMAIN; blocking, the"
              + " thread sleeps in the call; auto, with automatic progress. Default: spinning, and"
              + " blocking for costs over tcp.")
  private List<Mode> modes = List.of();

  @Option(
      names = "--compare",
      paramLabel = "WITH",
      split = ",",
      converter = OtherWords.class,
      completionCandidates = OtherWords.class,
      description =
          "Do the same work elsewhere too: libfabric, as it is installed here; pingpong and costs"
              + " also netty-epoll, netty-nio, channel, batched-channel, aeron, or all of them.")
  private List<Other> compare = List.of();

  @Option(
      names = "--only",
      paramLabel = "COST",
      split = ",",
      converter = OnlyWords.class,
      completionCandidates = OnlyWords.class,
      description =
          "costs: measure only first-message, in a fresh JVM; first-message-cached, with an"
              + " ahead-of-time cache; warm-up; first-round-trips, of ofi4j pingpong (--mode"
              + " spinning) and fi_pingpong (--compare libfabric); stream; connections; to-itself"
              + " (with -p). Default: all that the other options allow.")
  private List<Only> only = List.of();

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "1000",
      description = "costs: how many connections a server has. Default: ${DEFAULT-VALUE}.")
  private int connections = 1000;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "costs: how long round trips are repeated until they are warm. Default:"
              + " ${DEFAULT-VALUE}.")
  private int seconds = 60;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "11",
      description =
          "Rounds after warm-up; of av fewer where no bar rests on them and time is short. Default:"
              + " ${DEFAULT-VALUE}.")
  private int rounds = 11;

  @Option(
      names = "--shown-peers",
      paramLabel = "N",
      defaultValue = "250k",
      converter = SizeWords.class,
      description =
          "av: with how many peers at most that is done which no bar rests on: IPv6, calls for one"
              + " address each. Default: ${DEFAULT-VALUE}.")
  private long shown = 250_000;

  @Option(
      names = "--time",
      paramLabel = "CLOCK",
      defaultValue = "wall",
      converter = TimeWords.class,
      completionCandidates = TimeWords.class,
      description =
          "av: wall is what an application waits for; cpu the time that the measuring thread was on"
              + " a processor, for machines that do something else too. Default: ${DEFAULT-VALUE}.")
  private Time time = Time.WALL;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "20",
      description = "chaos: how many processes are killed. Default: ${DEFAULT-VALUE}.")
  private int kills = 20;

  @Option(
      names = "--processes",
      paramLabel = "N",
      description =
          "chaos: how many work at a time, every fourth only reads; default 6. named: the most that"
              + " share a vector; default 4.")
  private @Nullable Integer processes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "chaos: repeat what is random in a run, as far as that is not the system's doing.")
  private @Nullable Long seed;

  @Option(
      names = "--strict",
      description = "End with exit status 1 if a bar that was measured is not met.")
  private boolean strict;

  @Option(
      names = "--plot",
      paramLabel = "FILE.svg",
      description = "Write a plot of the figures to this file.")
  private @Nullable Path plot;

  @Option(names = "--json", description = "Print one JSON document, with every round.")
  private boolean json;

  public BenchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    subject.check(requireNonNull(spec).commandLine().getParseResult().matchedOptionsSet());
    // Says who refuses what when there is nothing to measure.
    VectorSession.best(Hints.latest().withProvider(isOfMessages() ? "tcp" : "udp"));
    if (rounds < 1) {
      throw new CommandException(ExitCode.USAGE, "--rounds takes at least 1");
    }
    if (subject == Subject.AV && !List.of(Other.LIBFABRIC).containsAll(compare)) {
      throw new CommandException(ExitCode.USAGE, "--compare takes only libfabric for av");
    }
    if (peers != null && !sizes.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "--peers and --sizes exclude each other");
    }
    try {
      return new Chosen().run();
    } catch (NoClassDefFoundError missing) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          "the benchmarks are not on the module path (%s); start them with ./ofi4j bench %s"
              .formatted(missing.getMessage(), subject),
          missing);
    }
  }

  private boolean isOfMessages() {
    return subject == Subject.PINGPONG || subject == Subject.COSTS;
  }

  /**
   * Apart, because picocli asks for the types in methods of the command, and these may be missing.
   */
  private final class Chosen {
    int run() throws IOException, InterruptedException {
      BenchRun run = new BenchRun(terminal, json, plot, strict);
      return switch (subject) {
        case AV -> run.run(vectors());
        case PINGPONG -> run.run(messages());
        case COSTS -> run.run(costs());
        case NAMED -> run.run(named());
        case CHAOS -> new ChaosRun(terminal, json).run(chaos());
      };
    }

    BenchmarkOptions vectors() {
      try {
        return new BenchmarkOptions(
            BenchSizes.chosen(peers, parsed(BenchSizes::parse), large),
            compare.contains(Other.LIBFABRIC),
            rounds,
            (int) shown,
            time == Time.CPU ? TimeSource.CPU : TimeSource.WALL);
      } catch (IllegalArgumentException wrong) {
        throw new CommandException(ExitCode.USAGE, "--" + wrong.getMessage(), wrong);
      }
    }

    MessagingOptions messages() {
      return new MessagingOptions(
          BenchSizes.ofMessages(parsed(BenchSizes::parseBytes)),
          contestants(),
          rounds,
          String.valueOf(FabricNames.provider(provider)));
    }

    CostsOptions costs() {
      try {
        return new CostsOptions(
            only.stream().map(each -> Cost.valueOf(each.name())).collect(Collectors.toSet()),
            contestants(),
            rounds,
            String.valueOf(FabricNames.provider(provider)),
            connections,
            seconds,
            CommandJvm.of(JvmCommand.passedOn(), "pingpong"));
      } catch (IllegalArgumentException wrong) {
        throw new CommandException(ExitCode.USAGE, "--" + wrong.getMessage(), wrong);
      }
    }

    Set<Contestant> contestants() {
      Set<Contestant> contestants = EnumSet.noneOf(Contestant.class);
      boolean sleeps = subject == Subject.COSTS && provider.equals(MessagingOptions.TCP);
      Mode usual = sleeps ? Mode.BLOCKING : Mode.SPINNING;
      for (Mode mode : modes.isEmpty() ? List.of(usual) : modes) {
        contestants.add(
            switch (mode) {
              case SPINNING -> Contestant.OFI4J;
              case DOMAIN -> Contestant.OFI4J_DOMAIN;
              case BLOCKING -> Contestant.OFI4J_BLOCKING;
              case AUTO -> Contestant.OFI4J_AUTO;
            });
      }
      for (Other other : compare) {
        if (other == Other.ALL) {
          contestants.addAll(EnumSet.range(Contestant.LIBFABRIC, Contestant.AERON));
        } else {
          contestants.add(Contestant.valueOf(other.name()));
        }
      }
      return contestants;
    }

    NamedOptions named() {
      List<Long> chosen = BenchSizes.chosen(peers, parsed(BenchSizes::parse), false);
      if (peers == null && sizes.isEmpty()) {
        chosen = BenchSizes.fitting(NamedBenchmark.mostPeers());
      }
      try {
        return new NamedOptions(chosen, processes == null ? NAMED_PROCESSES : processes, rounds);
      } catch (IllegalArgumentException wrong) {
        throw new CommandException(ExitCode.USAGE, "--" + wrong.getMessage(), wrong);
      }
    }

    ChaosOptions chaos() {
      try {
        return new ChaosOptions(
            processes == null ? CHAOS_PROCESSES : processes,
            kills,
            seed == null ? System.nanoTime() : seed);
      } catch (IllegalArgumentException wrong) {
        throw new CommandException(ExitCode.USAGE, "--" + wrong.getMessage(), wrong);
      }
    }
  }

  private List<Long> parsed(ToLongFunction<String> parser) {
    List<Long> parsed = new ArrayList<>();
    for (String word : sizes) {
      try {
        parsed.add(parser.applyAsLong(word));
      } catch (IllegalArgumentException wrong) {
        throw new CommandException(ExitCode.USAGE, "--sizes: " + wrong.getMessage(), wrong);
      }
    }
    return parsed;
  }
}
