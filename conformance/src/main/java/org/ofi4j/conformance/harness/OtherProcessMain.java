// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Completion;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.Profile;
import org.ofi4j.Progress;
import org.ofi4j.RemotePlace;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;

/** What {@link OtherProcess} runs: a line with a command in, a line with its outcome out. */
final class OtherProcessMain {
  private final Queue<MemorySegment> posted = new ArrayDeque<>();
  private @Nullable ConformanceEnvironment environment;
  private @Nullable Domain domain;
  private @Nullable AddressVector vector;
  private @Nullable Peer peer;

  private OtherProcessMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    OtherProcessMain process = new OtherProcessMain();
    BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Thread.ofPlatform().daemon().start(() -> OtherProcess.readLines(lines, commands));
    String command = commands.take();
    while (!command.equals(OtherProcess.END)) {
      answers.println(process.answer(command.split("\t", -1)));
      command = process.next(commands);
    }
    process.reset();
  }

  /** The next command; until it comes, peers make progress, as the other side may wait for them. */
  private String next(BlockingQueue<String> commands) throws InterruptedException {
    while (true) {
      ConformanceEnvironment driven = environment;
      String command = driven == null ? commands.take() : commands.poll(1, TimeUnit.MILLISECONDS);
      if (command != null) {
        return command;
      }
      if (driven != null) {
        driven.progress();
      }
    }
  }

  private String answer(String[] words) {
    try {
      return "ok\t" + run(words);
    } catch (FabricException refused) {
      return "failed\t" + refused.errno().name() + "\t" + refused.getMessage();
    } catch (RuntimeException | Error failed) {
      return "failed\t" + String.valueOf(failed).replace('\n', ' ');
    }
  }

  private Object run(String[] words) {
    return switch (words[0]) {
      case "reset" -> reset();
      case "domain" -> domain(words);
      case "open" -> open(words);
      case "insert" -> vector().insert(FabricAddress.parse(words[1]));
      case "key" -> vector().insertAuthKey(HexFormat.of().parseHex(words[1]));
      case "under" -> insertUnder(FabricAddress.parse(words[1]), Long.parseLong(words[2]));
      case "service" -> vector().insertService(words[1], words[2]);
      case "symmetric" ->
          vector()
              .insertSymmetric(
                  words[1], number(words[2]), words[3], number(words[4]), InsertOptions.none())
              .result();
      case "remove" -> remove(words);
      case "lookup" -> vector().lookup(Long.parseLong(words[1]));
      case "find" -> vector().find(FabricAddress.parse(words[1]));
      case "at" -> vector().handleAt(Long.parseLong(words[1]));
      case "size" -> vector().size();
      case "memory" -> NativeMemory.bytes();
      case "close" -> {
        vector().close();
        yield "";
      }
      case "id" -> {
        vector().setUserId(Long.parseLong(words[1]), new UserId(Long.parseLong(words[2])));
        yield "";
      }
      case "endpoint" -> endpoint();
      case "send" -> {
        peer().send(words[2], Long.parseLong(words[1]));
        yield "";
      }
      case "refused" -> refused(Long.parseLong(words[1]));
      case "read" -> read(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case "post" -> {
        posted.add(peer().receive(Long.parseLong(words[1]), "post"));
        yield "";
      }
      case "received" -> received();
      default -> throw new IllegalArgumentException("no such command: " + words[0]);
    };
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private String reset() {
    ConformanceEnvironment old = environment;
    environment = null;
    domain = null;
    vector = null;
    peer = null;
    posted.clear();
    if (old != null) {
      old.close();
    }
    return "";
  }

  private ConformanceEnvironment environment() {
    return Expect.present(environment);
  }

  private AddressVector vector() {
    return Expect.present(vector);
  }

  private Peer peer() {
    return Expect.present(peer);
  }

  private String domain(String[] words) {
    environment =
        new ConformanceEnvironment(
            Contender.installed(words[8]),
            () -> {
              throw new IllegalStateException("this is the other process");
            });
    Setup setup =
        new Setup(
            new ApiVersion(number(words[1]), number(words[2])),
            words[3].equals("-") ? null : Profile.valueOf(words[3]),
            AddressFormat.valueOf(words[4]),
            Long.parseLong(words[5]),
            VectorType.valueOf(words[6]),
            EndpointType.valueOf(words[7]),
            Progress.UNSPECIFIED);
    Hints hints =
        setup
            .hints()
            .withFabric(words[9])
            .withDomain(words[10])
            .withMaxGroupId(number(words[11]))
            .withAuthKeys(
                Long.parseLong(words[12]) == FabricInfo.DomainAttributes.KEYS_IN_VECTOR
                    ? AuthKeyHints.inVector()
                    : AuthKeyHints.none());
    domain = environment().domain(environment().info(hints));
    return "";
  }

  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  private Object open(String[] words) {
    VectorOptions options =
        VectorOptions.defaults()
            .withType(VectorType.valueOf(words[1]))
            .withReceiveContextBits(number(words[2]))
            .withCount(Long.parseLong(words[3]))
            .withName(words[4].equals("-") ? null : words[4].substring(1))
            .withMapAddress(Long.parseLong(words[5]))
            .withFlags(Long.parseLong(words[6]))
            .withLockTimeout(Duration.parse(words[7]))
            .withResolver(OtherProcessMain::never);
    vector = environment().vector(Expect.present(domain), options);
    if ((options.flags() & VectorFlag.EVENT.mask()) != 0) {
      environment().bind(vector);
    }
    return vector.options().mapAddress();
  }

  /** What is looked up here is not found before it is too late. */
  private static List<InetAddress> never(String host) throws InterruptedException {
    Thread.sleep(Duration.ofDays(1));
    return List.of();
  }

  private Object remove(String[] words) {
    long[] handles = Arrays.stream(words).skip(1).mapToLong(Long::parseLong).toArray();
    vector().remove(MemorySegment.ofArray(handles), handles.length, 0);
    return LongStream.of(handles).mapToObj(Long::toString).collect(Collectors.joining("\t"));
  }

  private Object endpoint() {
    peer = environment().peer(vector());
    return peer.name();
  }

  private long insertUnder(FabricAddress address, long authKey) {
    return vector()
        .insert(List.of(address), InsertOptions.none().withAuthKeys(authKey))
        .orThrow()
        .handle(0);
  }

  /** Sends in vain, and says why. */
  private Object refused(long handle) {
    peer().endpoint().send(Peer.message("to be refused"), handle, "refused");
    return outcome("refused");
  }

  /** Reads eight bytes of memory; what they are, or why not. */
  private Object read(long handle, long key) {
    MemorySegment into = Arena.ofAuto().allocate(Long.BYTES);
    peer().reliable().read(into, handle, new RemotePlace(0, into.byteSize(), key), "read");
    String outcome = outcome("read");
    return outcome.equals("done") ? into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) : outcome;
  }

  private String outcome(Object context) {
    return switch (peer().completionOf(context)) {
      case Completion.Success _ -> "done";
      case Completion.Failure failure -> failure.errno().name();
    };
  }

  private Object received() {
    Completion.Success received = peer().nextSuccess();
    return received.source() + "\t" + Peer.text(posted.remove(), received.length());
  }
}
