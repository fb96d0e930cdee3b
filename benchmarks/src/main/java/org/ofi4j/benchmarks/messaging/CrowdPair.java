// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** A server and all its clients, each in a JVM of its own. */
final class CrowdPair {
  private final Contestant contestant;
  private final LineProcess server;
  private final LineProcess clients;
  private final String name;
  private int connections;

  CrowdPair(Contestant contestant, OpenProcesses processes) throws IOException {
    this.contestant = contestant;
    server = start(contestant, processes);
    // Automatic progress: a thread that reads a queue of manual progress looks at all its
    // endpoints.
    clients = start(contestant.isOfi4j() ? Contestant.OFI4J_AUTO : contestant, processes);
    name = server.tell("listen");
  }

  private static LineProcess start(Contestant contestant, OpenProcesses processes)
      throws IOException {
    List<String> command =
        new ArrayList<>(contestant.jvm(CrowdJvm.class, MessagingOptions.TCP, List.of()));
    command.add(contestant.name());
    return processes.start(command);
  }

  Contestant contestant() {
    return contestant;
  }

  /** Opens more connections; each has carried a request and an answer then. */
  void connect(int more) {
    server.tell("admit " + clients.tell("gather " + more + " " + name));
    connections += more;
    request(connections);
  }

  /**
   * Sends requests.
   *
   * @return the processor time of the server
   */
  Duration request(int count) {
    server.tell("serve " + count);
    Duration begin = server.processorTime();
    clients.tell("request " + count);
    server.answer("serve");
    return server.processorTime().minus(begin);
  }

  /** Returns the bytes of live objects in the heap of the server. */
  long heap() {
    return Long.parseLong(server.tell("heap"));
  }
}
