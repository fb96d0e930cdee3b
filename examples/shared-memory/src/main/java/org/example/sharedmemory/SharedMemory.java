// SPDX-License-Identifier: Apache-2.0
package org.example.sharedmemory;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.VectorOptions;

/**
 * Sends messages of 64 bytes to another process and back: first through the socket, then through
 * memory that both processes share.
 */
public final class SharedMemory implements AutoCloseable {
  private static final int WARM_UP = 20_000;
  private static final int MEASURED = 20_000;

  private final Fabric fabric;
  private final Domain domain;
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final ReliableEndpoint endpoint;
  private final MemorySegment message = MemorySegment.ofArray(new byte[64]);

  /** Opens an endpoint; each connection shares so many bytes each way, or none. */
  private SharedMemory(int bytes) {
    fabric =
        Fabrics.open(Hints.reliable().withCapabilities(Capability.MSG).withSource("127.0.0.1:0"));
    domain = fabric.openDomain();
    vector = domain.openAddressVector(VectorOptions.table());
    queue = domain.openCompletionQueue();
    ConnectionOptions connections = ConnectionOptions.defaults().withSharedMemory(bytes);
    endpoint =
        domain.openReliableEndpoint(EndpointOptions.of(vector, queue).withConnections(connections));
  }

  /**
   * Measures both ways; with arguments, sends back what comes.
   *
   * @param arguments none; or the bytes to share and the address of the process that measures
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0) {
      answer(Integer.parseInt(arguments[0]), FabricAddress.parse(arguments[1]));
    } else {
      double socket = measure(0);
      double memory = measure(1 << 16);
      System.out.printf("shared memory is %.1f times as fast%n", socket / memory);
    }
  }

  private static double measure(int bytes) throws Exception {
    try (SharedMemory here = new SharedMemory(bytes)) {
      Process other =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElse("java"),
                  "--class-path=" + System.getProperty("java.class.path"),
                  SharedMemory.class.getName(),
                  Integer.toString(bytes),
                  here.endpoint.address().toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader output = other.inputReader(UTF_8)) {
        long peer = here.vector.insert(FabricAddress.parse(output.readLine()));
        double[] microseconds = new double[WARM_UP + MEASURED];
        for (int i = 0; i < microseconds.length; i++) {
          long begin = System.nanoTime();
          here.endpoint.receive(here.message, null);
          here.endpoint.send(here.message, peer, null);
          here.awaitTwo();
          microseconds[i] = (System.nanoTime() - begin) / 1000.0;
        }
        Arrays.sort(microseconds, WARM_UP, microseconds.length);
        double median = microseconds[WARM_UP + MEASURED / 2];
        boolean isShared = here.endpoint.statistics().connections().shared() > 0;
        System.out.printf(
            "a round trip through %s takes %.2f us%n",
            isShared ? "shared memory" : "the socket", median);
        return median;
      }
    }
  }

  private static void answer(int bytes, FabricAddress asking) throws Exception {
    try (SharedMemory here = new SharedMemory(bytes)) {
      long peer = here.vector.insert(asking);
      here.endpoint.receive(here.message, null);
      System.out.println(here.endpoint.address());
      while (here.queue.read() == null) {
        Thread.onSpinWait();
      }
      for (int i = 1; i < WARM_UP + MEASURED; i++) {
        here.endpoint.receive(here.message, null);
        here.endpoint.send(here.message, peer, null);
        here.awaitTwo();
      }
      here.endpoint.send(here.message, peer, null);
      while (here.queue.read() == null) {
        Thread.onSpinWait();
      }
    }
  }

  /** Waits, without sleeping, until the last receive and the last send have ended. */
  private void awaitTwo() {
    for (int ended = 0; ended < 2; ) {
      ended += queue.read() != null ? 1 : 0;
    }
  }

  @Override
  public void close() {
    endpoint.close();
    queue.close();
    vector.close();
    domain.close();
    fabric.close();
  }
}
