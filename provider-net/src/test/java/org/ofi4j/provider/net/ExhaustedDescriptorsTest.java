// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Counter;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.VectorOptions;

/** A process that has used up its descriptors waits and goes on with the endpoints that it has. */
class ExhaustedDescriptorsTest {
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration LONG = Rig.PATIENCE;

  /** The process; prints what is wrong, and "done" at the end. */
  static final class Program {
    private final List<RandomAccessFile> files = new ArrayList<>();

    private Program() {}

    public static void main(String[] arguments) throws Exception {
      new Program().run(arguments[0]);
      System.out.println("done");
    }

    private void run(String provider) throws Exception {
      EndpointType type = provider.equals("udp") ? EndpointType.DGRAM : EndpointType.RDM;
      Hints hints =
          Hints.latest().withProvider(provider).withEndpointType(type).withSource("127.0.0.1:0");
      try (Fabric fabric = Fabrics.open(hints);
          Domain domain = fabric.openDomain();
          AddressVector vector = domain.openAddressVector(VectorOptions.table());
          CompletionQueue idle = domain.openCompletionQueue();
          Counter counter = domain.openCounter(null);
          CompletionQueue queue = domain.openCompletionQueue();
          MessageEndpoint endpoint = domain.openEndpoint(EndpointOptions.of(vector, queue));
          Arena arena = Arena.ofShared()) {
        long self = vector.insert(endpoint.address());
        // The first connects, the second sends over it. Loading their classes needs descriptors
        // too.
        exchange(endpoint, queue, self, arena);
        exchange(endpoint, queue, self, arena);
        try {
          vector.lookup(self + 1);
        } catch (FabricException absent) {
          absent.getMessage();
        }
        exhaust();
        if (queue.read(SHORT) != null || idle.read(SHORT) != null) {
          System.out.println("a completion of nothing");
        }
        if (counter.await(1, SHORT)) {
          System.out.println("a count of nothing");
        }
        refuseToOpen(domain);
        exchange(endpoint, queue, self, arena);
        giveBack();
        domain.openCompletionQueue().close();
      }
    }

    private static void exchange(
        MessageEndpoint endpoint, CompletionQueue queue, long self, Arena arena)
        throws InterruptedException {
      endpoint.receive(arena.allocate(8), "received");
      endpoint.send(MemorySegment.ofArray(new byte[8]), self, "sent");
      for (int i = 0; i < 2; i++) {
        if (!(queue.read(LONG) instanceof Completion.Success)) {
          System.out.println("no message");
        }
      }
    }

    private static void refuseToOpen(Domain domain) {
      try {
        domain.openCompletionQueue();
        System.out.println("a queue without a descriptor");
      } catch (FabricException refused) {
        if (refused.errno() != Errno.ENOMEM
            || !String.valueOf(refused.getMessage()).contains("limit of open files")) {
          System.out.println(refused);
        }
      }
    }

    @SuppressWarnings("InfiniteLoopStatement") // until there is no descriptor left
    private void exhaust() {
      File file = new File("/dev/null");
      try {
        while (true) {
          files.add(new RandomAccessFile(file, "r"));
        }
      } catch (IOException exhausted) {
        // None is left.
      }
    }

    private void giveBack() throws IOException {
      for (RandomAccessFile each : files) {
        each.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  void readersWaitAndMessagesArriveWithoutAFreeDescriptor(String provider) throws Exception {
    ProcessBuilder java = EndpointProcess.builder(Program.class, List.of("-Xmx64m"), provider);
    List<String> limited =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh"));
    limited.addAll(java.command());
    Process process = new ProcessBuilder(limited).redirectErrorStream(true).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEqualTo("done\n");
    } finally {
      process.destroyForcibly();
    }
  }
}
