// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.VectorOptions;

/**
 * A second JVM with the provider under test, for rules about several processes. It has one domain,
 * one vector and one endpoint at a time, and does what it is told by lines on its standard input;
 * when that ends it ends too.
 *
 * <p>Providers are found there as everywhere, by {@link java.util.ServiceLoader}: what this JVM has
 * on its class path or module path, the other one has too.
 */
public final class OtherProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  /** Stands behind the last line in either direction. */
  static final String END = "";

  private final Process process;
  private final PrintWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /** What is done here while the other one is at work: it may wait for peers here. */
  private volatile Runnable meanwhile = () -> {};

  private AddressFormat format = AddressFormat.UNSPECIFIED;

  private OtherProcess(Process process) {
    this.process = process;
    this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    Thread.ofVirtual()
        .name("answers of " + process.pid())
        .start(() -> readLines(process.inputReader(StandardCharsets.UTF_8), answers));
  }

  /**
   * Starts one.
   *
   * @param main what runs there and does what it is told
   */
  static OtherProcess start(Contender contender, Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add(NativeMemory.OPTION);
    // On the class path all is in one module; who calls no C is not changed by it.
    command.add("--enable-native-access=ALL-UNNAMED");
    // Options of this JVM, such as the file of a native library.
    Stream.of(ProcessHandle.current().info().arguments().orElse(new String[0]))
        .filter(option -> option.startsWith("-Dofi4j."))
        .forEach(command::add);
    command.add("--class-path");
    command.add(classPath(contender));
    command.add(main.getName());
    ProcessBuilder builder = new ProcessBuilder(command);
    try {
      return new OtherProcess(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException("a second JVM cannot be started", e);
    }
  }

  /** All that this JVM runs on, whether it came by class path or by module path. */
  private static String classPath(Contender contender) {
    Set<String> all = new LinkedHashSet<>();
    all.add(location(OtherProcess.class));
    all.add(location(Fabrics.class));
    contender.providers().forEach(provider -> all.add(location(provider.getClass())));
    for (String property : List.of("java.class.path", "jdk.module.path")) {
      Arrays.stream(System.getProperty(property, "").split(File.pathSeparator, -1))
          .map(OtherProcess::withJars)
          .forEach(all::add);
    }
    all.remove("");
    return String.join(File.pathSeparator, all);
  }

  /** A module path may name directories of jars, which are something else on a class path. */
  private static String withJars(String entry) {
    Path path = Path.of(entry);
    if (entry.isEmpty() || !Files.isDirectory(path)) {
      return entry;
    }
    try (Stream<Path> inside = Files.list(path)) {
      boolean jars = inside.anyMatch(file -> file.toString().endsWith(".jar"));
      return jars ? entry + File.separator + "*" : entry;
    } catch (IOException unreadable) {
      return entry;
    }
  }

  private static String location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return "";
    }
    try {
      URI uri = source.getLocation().toURI();
      return "file".equals(uri.getScheme()) ? Path.of(uri).toString() : "";
    } catch (URISyntaxException odd) {
      return "";
    }
  }

  /** Puts all lines into a queue, as they come, and {@link #END} behind them. */
  static void readLines(BufferedReader reader, BlockingQueue<String> lines) {
    try (reader) {
      reader.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException ended) {
      // There are no more lines.
    }
    lines.add(END);
  }

  OtherProcess meanwhile(Runnable progress) {
    meanwhile = progress;
    return this;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Ends it at once, as {@code kill -9} does, and waits until it is gone. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Tells it something; what it answers if all went well. */
  public String[] tell(Object... words) {
    String[] answer = exchange(words);
    if (!answer[0].equals("ok")) {
      throw new AssertionError("the second JVM says: " + String.join(" ", answer));
    }
    return Arrays.copyOfRange(answer, 1, answer.length);
  }

  /** Tells it something that has to fail. */
  public void fails(Errno errno, Object... words) {
    String[] answer = exchange(words);
    if (!answer[0].equals("failed") || !answer[1].equals(errno.name())) {
      throw new AssertionError(
          "expected errno " + errno + ", but the second JVM says: " + String.join(" ", answer));
    }
  }

  private String[] exchange(Object... words) {
    commands.println(String.join("\t", Arrays.stream(words).map(String::valueOf).toList()));
    return answer().split("\t", -1);
  }

  private String answer() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      String line = null;
      while (line == null) {
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("the second JVM does not answer for " + PATIENCE);
        }
        meanwhile.run();
        line = answers.poll(1, TimeUnit.MILLISECONDS);
      }
      if (line.equals(END)) {
        throw new AssertionError("the second JVM has ended");
      }
      return line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for the second JVM", e);
    }
  }

  /** The only word of an answer, as a number. */
  public long number(Object... words) {
    return Long.parseLong(tell(words)[0]);
  }

  /** Opens the domain that an information describes. */
  public void domain(Setup setup, FabricInfo info) {
    format = info.addressFormat();
    FabricInfo.DomainAttributes options = info.domain();
    tell(
        "domain",
        setup.version().major(),
        setup.version().minor(),
        setup.profile() == null ? "-" : setup.profile(),
        setup.format(),
        setup.caps(),
        setup.domainType(),
        setup.endpointType(),
        info.fabric().provider(),
        info.fabric().name(),
        options.name(),
        options.maxGroupId(),
        options.authKeySize());
  }

  private static Object[] opening(VectorOptions options) {
    return new Object[] {
      "open",
      options.type(),
      options.receiveContextBits(),
      options.count(),
      options.name() == null ? "-" : "=" + options.name(),
      options.mapAddress(),
      options.flags(),
      options.lockTimeout()
    };
  }

  /** The format of the addresses of its domain. */
  public AddressFormat format() {
    return format;
  }

  /** Opens a vector, and gives its {@code map_addr}. */
  public long open(VectorOptions options) {
    return number(opening(options));
  }

  /** Opens a vector, which has to fail. */
  public void failsToOpen(Errno errno, VectorOptions options) {
    fails(errno, opening(options));
  }

  /** Inserts an address, and gives its handle. */
  public long insert(FabricAddress address) {
    return number("insert", address);
  }

  /** Inserts an authorization key, and gives its handle. */
  public long insertAuthKey(byte[] key) {
    return number("key", HexFormat.of().formatHex(key));
  }

  /** Inserts an address under an authorization key of its vector, and gives its handle. */
  public long insert(FabricAddress address, long authKey) {
    return number("under", address, authKey);
  }

  /** The address of a handle. */
  public FabricAddress lookup(long handle) {
    return FabricAddress.parse(tell("lookup", handle)[0]);
  }

  /** Bytes of memory outside the heap that it has allocated and mapped. */
  public long memory() {
    return number("memory");
  }

  /** Makes an endpoint that is bound to the vector; its name. */
  public FabricAddress endpoint() {
    return FabricAddress.parse(tell("endpoint")[0]);
  }

  /** Forgets what was opened; whether it still answers. */
  boolean reset() {
    try {
      answers.clear();
      meanwhile = () -> {};
      tell("reset");
      return true;
    } catch (AssertionError dead) {
      return false;
    }
  }

  /** Ends it with its input, so that it leaves what it shares; or else at once. */
  @Override
  public void close() {
    commands.close();
    try {
      // Who is killed leaves what it shares behind, so only who does not end at all is.
      if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
