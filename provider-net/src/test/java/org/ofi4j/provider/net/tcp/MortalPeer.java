// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ofi4j.FabricAddress;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;

/**
 * One life of a peer that is killed again and again, in a process of its own. It says what has
 * reached it, and which of its messages were acknowledged, as soon as it knows.
 */
final class MortalPeer implements AutoCloseable {
  /** The program: listens on a port, talks to an address, and sends numbers from a first one on. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      StringBuilder news = new StringBuilder();
      Party.Listener telling =
          new Party.Listener() {
            @Override
            public void received(long number, long source) {
              news.append('r').append(number).append('\n');
            }

            @Override
            public void acknowledged(long number) {
              news.append('a').append(number).append('\n');
            }
          };
      try (OutputStream out = new FileOutputStream(FileDescriptor.out);
          Party party = new Party(Rig.tcp("127.0.0.1", arguments[0], Progress.MANUAL), telling)) {
        news.append(party.rig.name()).append('\n');
        long first = Long.parseLong(arguments[2]);
        party.talkTo(FabricAddress.parse(arguments[1]), first, new Random(first));
        while (true) {
          out.write(news.toString().getBytes(StandardCharsets.UTF_8));
          news.setLength(0);
          party.turn(Duration.ofMillis(10));
        }
      }
    }
  }

  private final EndpointProcess process;
  private final Thread reader;
  private final List<Long> received = new ArrayList<>();
  private final List<Long> acknowledged = new ArrayList<>();
  private volatile boolean born;
  private volatile long lastReceived = -1;

  /** Starts it; does not wait for it. */
  MortalPeer(int port, FabricAddress survivor, long firstNumber) throws IOException {
    process =
        new EndpointProcess(
            Program.class, Integer.toString(port), survivor.toString(), Long.toString(firstNumber));
    reader = Thread.ofVirtual().start(this::listen);
  }

  private void listen() {
    try {
      String line = process.line();
      born = line != null;
      for (line = process.line(); line != null; line = process.line()) {
        long number = Long.parseLong(line, 1, line.length(), 10);
        if (line.charAt(0) == 'r') {
          received.add(number);
          lastReceived = number;
        } else {
          acknowledged.add(number);
        }
      }
    } catch (IOException closed) {
      // It was killed.
    } catch (NumberFormatException halfLine) {
      // It was killed while it wrote.
    }
  }

  /** Whether its endpoint is there. */
  boolean isBorn() {
    return born;
  }

  /** The number of the last message that is known to have reached it; negative if there is none. */
  long lastReceived() {
    return lastReceived;
  }

  /** Kills it, and waits until everything that it said has been heard. */
  void kill() throws Exception {
    int end = process.kill();
    if (end != EndpointProcess.KILLED) {
      throw new AssertionError("it ended by itself, with " + end);
    }
    reader.join();
  }

  /** What has reached it in this life, in order; complete once it is killed. */
  List<Long> received() {
    return received;
  }

  /** Which of its messages were acknowledged in this life. */
  List<Long> acknowledged() {
    return acknowledged;
  }

  @Override
  public void close() {
    process.close();
  }
}
