// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.provider.kit.KitFabric;

/** An endpoint in a JVM of its own, which runs a program that prints the endpoint's name first. */
public final class EndpointProcess implements AutoCloseable {
  /** How a process ends that was killed, as the JDK says it: 128 and the number of the signal. */
  public static final int KILLED = 137;

  private final Process process;
  private final BufferedReader output;
  private @Nullable FabricAddress name;

  /** Starts the {@code main} of a class. */
  public EndpointProcess(Class<?> program, String... arguments) throws IOException {
    ProcessBuilder builder = builder(program, List.of("-Xmx128m"), arguments);
    process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * What starts the {@code main} of a class in a JVM of its own.
   *
   * @param options of that JVM, besides the usual ones
   */
  public static ProcessBuilder builder(
      Class<?> program, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath(program), program.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** All that this test runs on, whether it came by class path or by module path. */
  public static String classPath(Class<?> program) {
    return String.join(
        System.getProperty("path.separator"),
        location(program),
        location(NetProvider.class),
        location(KitFabric.class),
        location(Fabrics.class),
        location(KitFabric.class.getSuperclass()),
        location(KitFabric.class),
        location(Assertions.class),
        System.getProperty("java.class.path"));
  }

  private static String location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException broken) {
      throw new UncheckedIOException(new IOException(broken));
    }
  }

  /** The endpoint's name; waits for it the first time. */
  public FabricAddress name() throws IOException {
    FabricAddress known = name;
    if (known == null) {
      known = FabricAddress.parse(String.valueOf(output.readLine()));
      name = known;
    }
    return known;
  }

  /** The next line that it prints; null if there will be none. */
  public @Nullable String line() throws IOException {
    return output.readLine();
  }

  /** Kills it with {@code SIGKILL}, and waits until it is gone; says how it ended. */
  public int kill() throws Exception {
    return process.destroyForcibly().onExit().get().exitValue();
  }

  /** Whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it ends by itself, and well. */
  public boolean endsWell() throws InterruptedException {
    return process.waitFor() == 0;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
