// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.benchmarks.process.JvmCommand;

/** A yardstick has to do the work that it is compared in; each carrier checks what it receives. */
class CarrierTest {
  /** Netty's native transport is a dependency for one platform. */
  private static final String PLATFORM =
      System.getProperty("os.name") + ' ' + System.getProperty("os.arch");

  /** In a JVM of its own, because Aeron needs an option that nothing else gets. */
  @ParameterizedTest
  @EnumSource
  void allMessagesCome(Carrier.Kind kind) throws Exception {
    assumeTrue(kind != Carrier.Kind.NETTY || PLATFORM.equals("Linux amd64"), PLATFORM);
    List<String> command =
        new ArrayList<>(JvmCommand.onClassPath(CarrierTest.class, List.of(AeronCarrier.OPTION)));
    int classPath = command.indexOf("--class-path") + 1;
    command.set(classPath, command.get(classPath) + File.pathSeparator + testClasses());
    command.add(kind.name());
    Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(jvm.getInputStream().readAllBytes());
    assertThat(jvm.waitFor()).as(output).isZero();
    assertThat(output).endsWith("done\n");
  }

  /** The module has them as a patch, so they are in no path. */
  private static Path testClasses() throws Exception {
    String name = CarrierTest.class.getName().replace('.', '/') + ".class";
    Path file =
        Path.of(Objects.requireNonNull(CarrierTest.class.getResource("CarrierTest.class")).toURI());
    return file.getRoot().resolve(file.subpath(0, file.getNameCount() - name.split("/").length));
  }

  /** Exchanges messages; the argument is the kind of the carrier. */
  @SuppressWarnings("SystemOut") // read by the test
  public static void main(String[] arguments) throws Exception {
    for (int bytes : new int[] {1, 64, 5000, 1 << 20}) {
      try (Carrier carrier = Carrier.Kind.valueOf(arguments[0]).open(bytes)) {
        carrier.roundTrips(3);
        carrier.stream(100);
        carrier.stream(17);
      }
    }
    System.out.println("done");
  }
}
