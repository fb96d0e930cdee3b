// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.RemotePlace;
import org.ofi4j.UserId;
import org.ofi4j.VectorOptions;
import org.ofi4j.historic.HistoricVector;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;

/**
 * Keys show themselves nowhere: another JVM does with them whatever can be done, well and badly,
 * with its log and its flight recorder open; its output and the recording are looked through.
 */
class KeySecrecyTest {
  private static final Duration BRIEF = Duration.ofMillis(300);

  /** Keys of the other JVM: letters, so that they would be found in text too. */
  private static byte[] secret(int number) {
    return ("zQ" + number + "xJ7wKv" + number + "pLqYgXzVjWbHkQxZfMcDrTsN")
        .substring(0, 32)
        .getBytes(US_ASCII);
  }

  private static final int SECRETS = 4;

  /** Keys of its memory regions, which are all that protects them. */
  private static final long[] REGIONS = {0x6BD1_93C7_5A2E_48F1L, 0x8C35_E7A9_14D6_2BF3L};

  /** What the other JVM does. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      try (RejectedLines log = new RejectedLines()) {
        for (boolean secure : new boolean[] {false, true}) {
          play(secure, log);
        }
      }
      System.out.println("done");
    }

    private static Rig rig(boolean secure, Duration patience, String owner, int... secrets) {
      Hints hints =
          Rig.tcp("127.0.0.1", Progress.AUTO)
              .withMoreCapabilities(
                  Capability.DIRECTED_RECEIVE,
                  Capability.RMA,
                  Capability.SOURCE_ERR,
                  Capability.SHARED_AV);
      // Those of one owner share a vector, and not their keys.
      VectorOptions shared = VectorOptions.table().withName(owner + ProcessHandle.current().pid());
      byte[][] keys =
          Arrays.stream(secrets).mapToObj(KeySecrecyTest::secret).toArray(byte[][]::new);
      return secure
          ? Rig.holding(hints, patience, SecureConnectionsTest.of(owner), keys)
          : Rig.holding(hints, shared, patience, keys);
    }

    private static void play(boolean secure, RejectedLines log) throws Exception {
      try (Rig server = rig(secure, Rig.PATIENCE, "one", 0, 1);
          Rig client = rig(secure, Rig.PATIENCE, "two", 0, 1);
          Rig wrong = rig(secure, BRIEF, "two", 2)) {
        long key = client.authKeys[0];
        long to = client.insertUnder(key, server.name());
        server
            .endpoint()
            .receive(
                new ReceiveRequest()
                    .memory(Rig.buffer(16))
                    .sourceUnderKey(server.authKeys[0])
                    .context("key"));
        client.endpoint().inject(Rig.message("hello"), to);
        tell(server.next());
        // Under a key that the other side does not hold.
        wrong
            .endpoint()
            .send(
                Rig.message("hello"), wrong.insertUnder(wrong.authKeys[0], server.name()), "wrong");
        Completion refused = wrong.next();
        assertThat(refused).isInstanceOf(Completion.Failure.class);
        tell(refused);
        tell(log.await(1));
        MemoryRegion region =
            server.domain.register(
                Rig.buffer(8),
                RegisterOptions.of(Access.REMOTE_READ)
                    .withKey(REGIONS[0])
                    .withAuthKey(server.vector, server.authKeys[1]));
        for (long place : REGIONS) {
          client
              .endpoint()
              .read(Rig.buffer(8), to, new RemotePlace(0, Long.MAX_VALUE, place), "denied");
          tell(client.next(), new RemotePlace(0, 8, place));
        }
        try (MemoryRegion open =
            server.domain.register(
                Rig.buffer(8),
                RegisterOptions.of(Access.REMOTE_WRITE)
                    .withKey(REGIONS[1])
                    .withAuthKey(server.vector, server.authKeys[0]))) {
          for (long at : new long[] {0, 99}) {
            client
                .endpoint()
                .read(Rig.buffer(8), to, new RemotePlace(at, Long.MAX_VALUE, open.key()), "denied");
            tell(client.next());
          }
        }
        tell(log.await(5));
        tell(region, server.endpoint(), server.vector, server.domain, server.vector.options());
        List<Runnable> faults =
            List.of(
                () -> server.vector.removeAuthKey(server.authKeys[0]),
                () -> server.vector.insertAuthKey(Arrays.copyOf(secret(3), 31)),
                () -> HistoricVector.of(server.vector).insertAuthKey(secret(3), 1),
                () -> server.vector.lookupAuthKey(77),
                () -> server.vector.find(client.name(), 77),
                () -> server.vector.setAuthKeyUserId(server.authKeys[0], new UserId(1)),
                () ->
                    server
                        .endpoint()
                        .receive(new ReceiveRequest().memory(Rig.buffer(8)).sourceUnderKey(5)),
                () ->
                    server.domain.register(
                        Rig.buffer(8),
                        RegisterOptions.of(Access.REMOTE_READ).withAuthKey(server.vector, 5)),
                () ->
                    server.domain.register(
                        Rig.buffer(8),
                        RegisterOptions.of().withKey(region.key()).withAuthKey(server.vector, key)),
                server.domain::close,
                server.vector::close);
        for (Runnable fault : faults) {
          try {
            fault.run();
            throw new AssertionError("that should have been refused");
          } catch (FabricException expected) {
            expected.printStackTrace(System.out);
          }
        }
        tell(
            client.vector.insert(
                List.of(server.name()), InsertOptions.none().withAuthKeys(client.authKeys[1] + 1)));
        tell(InsertOptions.none().withAuthKeys(key), client.vector.lookup(0));
        region.close();
      }
    }

    private static void tell(Object... all) {
      for (Object each : all) {
        System.out.println(each);
      }
    }
  }

  @Test
  @Tag("AV-160")
  @DisplayName("No output, exception, log line or event of the flight recorder has a key in it")
  void nothingShows(@TempDir Path directory) throws Exception {
    Path recording = directory.resolve("keys.jfr");
    String output =
        run(
            directory.resolve("output"),
            EndpointProcess.builder(
                Program.class,
                List.of(
                    "-XX:StartFlightRecording:settings=profile,dumponexit=true,filename="
                        + recording)));
    assertThat(output).contains("done");
    assertThat(recording).isNotEmptyFile();
    String events =
        run(
            directory.resolve("events"),
            new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jfr").toString(),
                "-J-XX:+UseSerialGC",
                "-J-XX:TieredStopAtLevel=1",
                "print",
                "--stack-depth",
                "64",
                recording.toString()));
    // The recorder was on, and knew what this is about.
    assertThat(events).contains("org.ofi4j");
    for (int i = 0; i < SECRETS; i++) {
      for (String trace : traces(secret(i))) {
        assertThat(output.contains(trace)).as("%s in the output", trace).isFalse();
        assertThat(events.contains(trace)).as("%s in an event", trace).isFalse();
      }
    }
    for (long key : REGIONS) {
      for (String trace : traces(key)) {
        assertThat(output.contains(trace)).as("%s in the output", trace).isFalse();
        assertThat(events.contains(trace)).as("%s in an event", trace).isFalse();
      }
    }
    String raw = Files.readString(recording, ISO_8859_1);
    for (int i = 0; i < SECRETS; i++) {
      assertThat(raw.contains(new String(secret(i), US_ASCII))).isFalse();
    }
  }

  /** As what a key could show itself, also a third of it. */
  private static List<String> traces(byte[] key) {
    List<String> traces = new ArrayList<>();
    for (int from = 0; from < 30; from += 10) {
      byte[] part = Arrays.copyOfRange(key, from, from + 10);
      String hex = HexFormat.of().formatHex(part);
      traces.add(new String(part, US_ASCII));
      traces.add(hex);
      traces.add(hex.toUpperCase(Locale.ROOT));
      traces.add(HexFormat.ofDelimiter(" ").formatHex(part));
      String numbers = Arrays.toString(part);
      traces.add(numbers.substring(1, numbers.length() - 1));
    }
    traces.add(Base64.getEncoder().encodeToString(key).substring(0, 40));
    return traces;
  }

  /** As what the key of a region could show itself, also half of it. */
  private static List<String> traces(long key) {
    String hex = HexFormat.of().toHexDigits(key);
    List<String> traces = new ArrayList<>();
    for (String part : List.of(hex.substring(0, 8), hex.substring(8))) {
      traces.add(part);
      traces.add(part.toUpperCase(Locale.ROOT));
    }
    traces.add(Long.toString(key));
    traces.add(Long.toUnsignedString(key));
    traces.add(Long.toOctalString(key));
    return traces;
  }

  private static String run(Path output, ProcessBuilder program)
      throws IOException, InterruptedException {
    Process process = program.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      int code = process.waitFor();
      String text = Files.readString(output, ISO_8859_1);
      assertThat(code).as(text.substring(Math.max(0, text.length() - 4_000))).isZero();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
