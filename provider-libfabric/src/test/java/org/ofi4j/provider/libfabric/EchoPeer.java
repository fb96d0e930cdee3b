// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Stream;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;

/**
 * An endpoint in a JVM of its own. It checks each message, whose bytes follow from its number, and
 * answers with one of as many other bytes.
 */
final class EchoPeer implements AutoCloseable {
  static final int LARGEST = 1 << 20;

  /** What answers add to the seed of the message. */
  static final int ANSWER = 1_000;

  private static final long TAGGED = CompletionFlag.TAGGED.mask();

  private final ChildJvm jvm;

  /**
   * Starts one.
   *
   * @param messages how many it answers before it ends by itself
   */
  EchoPeer(Rig rig, int messages) throws IOException {
    this(rig, messages, "");
  }

  /**
   * Starts one at an address, which speaks first.
   *
   * @param address text, or empty for any
   */
  EchoPeer(Rig rig, int messages, String address) throws IOException {
    String provider = rig.domain.info().fabric().provider();
    jvm =
        ChildJvm.start(
            EchoPeer.class,
            List.of(ChildJvm.NATIVE),
            provider,
            Integer.toString(messages),
            address);
  }

  /** Waits until it is there, and tells it who speaks to it; its address. */
  FabricAddress meet(Endpoint own) throws IOException {
    jvm.say(HexFormat.of().formatHex(own.address().toBytes()));
    byte[] bytes = HexFormat.of().parseHex(jvm.demandedLine());
    return FabricAddress.of(own.address().format(), bytes);
  }

  /** Stops it between messages; see {@link ChildJvm#stop}. */
  void stop() throws IOException, InterruptedException {
    jvm.stop();
  }

  /** Kills it, and removes what it leaves in shared memory then. */
  void kill() throws IOException {
    jvm.kill();
    try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
      for (Path each : files.toList()) {
        if (each.getFileName().toString().startsWith(jvm.pid() + "-")) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  /** What it has said of errors so far. */
  String errors() throws IOException {
    return jvm.errors();
  }

  /** Waits until it has ended by itself, content. */
  void assertEndsWell() throws Exception {
    String said = jvm.line();
    assertThat(jvm.exitStatus()).as("%s", jvm.errors()).isZero();
    assertThat(said).isEqualTo("well");
    assertThat(jvm.errors()).isEmpty();
  }

  @Override
  public void close() throws IOException {
    kill();
    jvm.close();
  }

  public static void main(String[] arguments) throws Exception {
    try (Rig rig = new Rig(Rig.hints(arguments[0]));
        Scanner input = new Scanner(System.in)) {
      EndpointOptions options = EndpointOptions.of(rig.vector, rig.queue);
      ReliableEndpoint endpoint =
          rig.endpoint(
              arguments[2].isEmpty()
                  ? options
                  : options.withAddress(new FabricAddress.TextAddress(arguments[2])));
      byte[] other = HexFormat.of().parseHex(input.nextLine());
      long to = rig.vector.insert(FabricAddress.of(endpoint.address().format(), other));
      System.out.println(HexFormat.of().formatHex(endpoint.address().toBytes()));
      if (!arguments[2].isEmpty()) {
        endpoint.send(memory(0), to, "here I am");
        rig.success("here I am");
      }
      answer(rig, endpoint, to, Integer.parseInt(arguments[1]));
    }
    System.out.println("well");
  }

  private static void answer(Rig rig, ReliableEndpoint endpoint, long to, int messages)
      throws Exception {
    MemorySegment plain = memory(LARGEST);
    MemorySegment tagged = MemorySegment.ofArray(new byte[LARGEST]);
    endpoint.receive(plain, "received");
    endpoint.receiveTagged(tagged, TagPattern.any(), "received");
    for (int seed = 0; seed < messages; seed++) {
      Completion.Success received = rig.success("received");
      boolean hasTag = (received.flags() & TAGGED) != 0;
      MemorySegment buffer = hasTag ? tagged : plain;
      assertPattern(buffer, received.length(), seed);
      int length = (int) received.length();
      MemorySegment answer =
          seed % 2 == 0 ? memory(length) : MemorySegment.ofArray(new byte[length]);
      pattern(answer, ANSWER + seed);
      if (hasTag) {
        endpoint.receiveTagged(buffer, TagPattern.any(), "received");
        endpoint.sendTagged(
            new TaggedSendRequest()
                .memory(answer)
                .destination(to)
                .tag(received.tag() + 1)
                .context("answered"));
      } else {
        endpoint.receive(buffer, "received");
        endpoint.send(answer, to, "answered");
      }
      rig.success("answered");
    }
  }
}
