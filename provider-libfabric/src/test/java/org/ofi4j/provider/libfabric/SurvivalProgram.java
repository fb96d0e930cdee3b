// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ReliableEndpoint;

/**
 * Threads that live on faults, which HotSpot's handlers of signals turn into exceptions, beside one
 * that opens and closes all that brings handlers of its own.
 */
final class SurvivalProgram {
  private static final int ROUNDS = 12;
  private static final long PAGES = 1 << 16;

  private static volatile boolean ended;

  private SurvivalProgram() {}

  /** What faults. */
  private interface Fault {
    /** Whether it was seen; one that is seen later is thrown. */
    boolean seen();
  }

  /** A thread that faults again and again, and how often it has. */
  private static final class Faulty {
    private final AtomicLong count = new AtomicLong();
    private final Fault fault;
    private final Thread thread;

    Faulty(Fault fault) {
      this.fault = fault;
      // Short of stack, which ends the sooner.
      thread = new Thread(null, this::run, "faults", 1 << 18);
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      while (!ended) {
        try {
          while (!ended) {
            if (fault.seen()) {
              count.incrementAndGet();
            }
          }
        } catch (InternalError behindTheEnd) {
          // A SIGBUS is told some time after it.
          count.incrementAndGet();
        }
      }
    }

    /** Waits for more faults. */
    void goesOn() throws InterruptedException {
      long before = count.get();
      while (count.get() - before < 3) {
        assertThat(thread.isAlive()).isTrue();
        Thread.sleep(0, 50_000);
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("exit")) {
      exit(arguments[1]);
    } else {
      faults(Path.of(arguments[1]));
    }
  }

  private static void faults(Path file) throws Exception {
    // libfabric installs its handlers with the first endpoint, and they end with the first fault.
    try (Rig first = new Rig(Rig.hints("shm"))) {
      ReliableEndpoint one = first.endpoint();
      ReliableEndpoint two = first.endpoint();
      dereference(null);
      exchange(first, one, two, 1);
      faultsMeanwhile(file);
      exchange(first, two, one, 2);
    }
    System.out.println("survived");
  }

  private static void faultsMeanwhile(Path file) throws Exception {
    List<Faulty> threads =
        List.of(
            new Faulty(() -> dereference(null)),
            new Faulty(() -> dereference(null)),
            new Faulty(SurvivalProgram::overflow),
            new Faulty(truncated(file)));
    for (Faulty each : threads) {
      each.goesOn();
    }
    for (int round = 0; round < ROUNDS; round++) {
      round(round);
      for (Faulty each : threads) {
        each.goesOn();
      }
    }
    ended = true;
    for (Faulty each : threads) {
      each.thread.join();
    }
  }

  /** A field of null: no instruction looks for that but the one that faults. */
  private static boolean dereference(int @Nullable [] array) {
    try {
      array[0]++;
      return false;
    } catch (NullPointerException expected) {
      return true;
    }
  }

  /** Reaches the guard pages of the stack. */
  private static boolean overflow() {
    try {
      return deeper(0) < 0;
    } catch (StackOverflowError expected) {
      return true;
    }
  }

  private static int deeper(int depth) {
    return deeper(depth + 1) + 1;
  }

  /** Reads a mapped file behind its end, which is a SIGBUS. */
  private static Fault truncated(Path file) throws IOException {
    MemorySegment mapped;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
      mapped = channel.map(MapMode.READ_WRITE, 0, PAGES, Arena.global());
      channel.truncate(0);
    }
    return () -> mapped.get(ValueLayout.JAVA_BYTE, PAGES / 2) != 0;
  }

  private static void round(int round) throws Exception {
    try (Rig rig = new Rig(Rig.hints("shm"))) {
      exchange(rig, rig.endpoint(), rig.endpoint(), round);
    }
  }

  private static void exchange(Rig rig, ReliableEndpoint from, ReliableEndpoint to, int seed)
      throws Exception {
    long handle = rig.insert(to);
    for (int i = 0; i < 10; i++) {
      MemorySegment buffer = memory(300);
      to.receive(buffer, "received");
      from.send(pattern(memory(300), seed + i), handle, "sent");
      assertThat(rig.success("received").length()).isEqualTo(300);
      assertPattern(buffer, 300, seed + i);
      rig.success("sent");
    }
  }

  /**
   * Ends with endpoints open, one of which was spoken to.
   *
   * @param way how
   */
  private static void exit(String way) throws Exception {
    Rig rig = new Rig(Rig.hints("shm"));
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    two.receive(memory(8), "received");
    one.send(memory(8), toTwo, "sent");
    rig.success("received");
    rig.endpoint().close();
    try (var files = Files.list(Path.of("/dev/shm"))) {
      files.forEach(each -> System.out.println("file " + each.getFileName()));
    }
    System.out.println("endpoint " + one.address());
    System.out.println("endpoint " + two.address());
    switch (way) {
      case "exit" -> System.exit(3);
      case "end" -> {}
      default -> System.in.read();
    }
  }
}
