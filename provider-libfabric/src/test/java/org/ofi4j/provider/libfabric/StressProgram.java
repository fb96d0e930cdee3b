// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.RemotePlace;

/**
 * A process of the stress test. Lines of its input are commands and what other processes offer;
 * lines of its output are answers, what it offers itself, and failures.
 */
final class StressProgram {
  /** The actions of the sessions of the process. */
  enum Phase {
    /** Anything at random. */
    PLAYING,
    /** No new operation but receives, until all operations have ended. */
    DRAINING,
    /** Checks and closes everything. */
    ENDING
  }

  /** How many ticks a session may take for one step. */
  private static final long STEP_TICKS = 120;

  final String provider;
  final int number;

  /** After so many ticks an operation with a peer that is there must have ended. */
  final long mostTicks;

  /** Endpoints of all processes that are there. */
  final Map<String, StressPeer> peers = new ConcurrentHashMap<>();

  /** How many endpoints were announced to this process, its own included. */
  final AtomicInteger announced = new AtomicInteger();

  volatile Phase phase = Phase.PLAYING;

  /** Whether nothing is to be opened or closed for now, but a first endpoint. */
  volatile boolean calm;

  /** Seconds of this process, which do not pass while it is stopped. */
  volatile long tick;

  final AtomicLong operations = new AtomicLong();
  final AtomicLong received = new AtomicLong();

  private volatile boolean paused;
  private final Map<Long, BitSet> seen = new ConcurrentHashMap<>();
  private final List<StressSession> sessions = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final StressPause pause = new StressPause();

  private StressProgram(String provider, int number, long mostTicks) {
    this.provider = provider;
    this.number = number;
    this.mostTicks = mostTicks;
  }

  /** Arguments: provider, number of the process, seed, most ticks of an operation. */
  public static void main(String[] arguments) throws Exception {
    int number = Integer.parseInt(arguments[1]);
    StressProgram program = new StressProgram(arguments[0], number, Long.parseLong(arguments[3]));
    Random random = new Random(Long.parseLong(arguments[2]));
    int count = 1 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      StressSession session = new StressSession(program, i, new Random(random.nextLong()));
      program.sessions.add(session);
      program.threads.add(Thread.ofPlatform().name("session-" + i).unstarted(session));
    }
    program.threads.forEach(Thread::start);
    Thread.ofPlatform().daemon().name("commands").start(program::obey);
    program.watch();
  }

  /** Prints a line, whole. */
  void say(String line) {
    synchronized (System.out) {
      System.out.println(line);
    }
  }

  /** Reports a failure, which ends the test. */
  void fail(String what) {
    say("failed " + what);
  }

  void fail(String what, Throwable cause) {
    StringWriter text = new StringWriter();
    cause.printStackTrace(new PrintWriter(text, true));
    fail(what + " | " + text.toString().replace("\n", " | "));
  }

  /** Notes that a message has come; false if it has come before. */
  boolean isNew(long message) {
    BitSet ofSender = seen.computeIfAbsent(message >>> 24, key -> new BitSet());
    int index = (int) message & 0xFF_FFFF;
    synchronized (ofSender) {
      boolean isNew = !ofSender.get(index);
      ofSender.set(index);
      return isNew;
    }
  }

  /** Ticks, and judges sessions and operations that do not end. */
  private void watch() throws InterruptedException {
    boolean drained = false;
    while (threads.stream().anyMatch(Thread::isAlive)) {
      Thread.sleep(1_000);
      tick++;
      say("did " + operations.get() + " " + received.get());
      if (paused) {
        continue;
      }
      for (StressSession each : sessions) {
        if (!each.hasEnded() && tick - each.lastStep() > STEP_TICKS) {
          fail("session " + each + " hangs: " + stacks());
          return;
        }
        String late = each.lateOperation();
        if (late != null) {
          fail("does not end within " + mostTicks + " ticks: " + late);
          return;
        }
      }
      if (!drained && sessions.stream().allMatch(StressSession::isDrained)) {
        drained = true;
        say("drained");
      }
    }
    say("did " + operations.get() + " " + received.get());
    say("done");
    System.exit(0);
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> {
          text.append(" | ").append(thread);
          for (StackTraceElement each : stack) {
            text.append(" |   at ").append(each);
          }
        });
    return text.toString();
  }

  private void obey() {
    try (Scanner input = new Scanner(System.in)) {
      while (input.hasNextLine()) {
        obey(input.nextLine().split(" "));
      }
    } catch (RuntimeException | Error wrong) {
      fail("a command", wrong);
    }
    // The test has ended.
    Runtime.getRuntime().halt(4);
  }

  private void obey(String[] words) {
    switch (words[0]) {
      case "peer" -> meet(words);
      case "shut" -> leave(words[1]);
      case "dead" ->
          peers.keySet().stream()
              .filter(each -> each.startsWith(words[1] + ":"))
              .forEach(this::leave);
      case "region" -> {
        StressPeer owner = peers.get(words[1]);
        if (owner != null) {
          owner.places.put(
              words[2],
              new RemotePlace(
                  Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5])));
        }
      }
      case "unregion" -> {
        StressPeer owner = peers.get(words[1]);
        if (owner != null) {
          owner.places.remove(words[2]);
        }
      }
      case "park" -> {
        paused = true;
        pause.begin(sessions);
        say("parked");
      }
      case "exit" -> System.exit(0);
      case "calm" -> {
        calm = true;
        sessions.forEach(StressSession::awaitStep);
        say("calmed");
      }
      case "awake" -> {
        sessions.forEach(StressSession::awaitStep);
        say("awoken");
      }
      case "go" -> calm = false;
      case "drain" -> phase = Phase.DRAINING;
      case "end" -> phase = Phase.ENDING;
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private void meet(String[] words) {
    StressPeer peer =
        new StressPeer(
            words[1],
            FabricAddress.of(AddressFormat.valueOf(words[2]), HexFormat.of().parseHex(words[3])));
    announce(peer);
  }

  /** Adds an endpoint that messages can be sent to. */
  void announce(StressPeer peer) {
    peers.put(peer.key, peer);
    announced.incrementAndGet();
  }

  /** An endpoint is gone. */
  void leave(String key) {
    StressPeer peer = peers.remove(key);
    if (peer != null) {
      peer.gone = true;
    }
  }
}
