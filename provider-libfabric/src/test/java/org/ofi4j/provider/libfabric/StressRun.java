// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of the stress test over one provider: starts processes, tells each what the others offer,
 * and stops, kills and ends them at random.
 */
final class StressRun implements AutoCloseable {
  private static final int PROCESSES = 3;
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final List<String> OPTIONS =
      List.of(ChildJvm.NATIVE, "-Xmx128m", "-Xss512k", "-XX:CICompilerCount=1");

  /** How long to wait for an answer, which is given after the step that a session does. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final List<StressAction> ACTIONS =
      List.of(
          StressAction.KILL,
          StressAction.EXIT,
          StressAction.END,
          StressAction.STOP,
          StressAction.STOP,
          StressAction.STOP);

  private static final long TICKS = 120;
  private static final long RXD_TICKS = 240;

  /** A line of a process; null when there is none any more. */
  private record Line(StressChild from, @Nullable String text) {}

  private final String provider;
  private final Random random;
  private final Duration duration;
  private final Set<StressAction> leftOut;
  private final boolean sharesMemory;
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
  private final List<StressChild> living = new ArrayList<>();
  private final List<StressChild> dead = new ArrayList<>();
  private final List<StressChild> untold = new ArrayList<>();
  private int started;
  private int kills;
  private int stops;
  private int exits;
  private int ends;

  StressRun(String provider, long seed, Duration duration) {
    this.provider = provider;
    this.duration = duration;
    leftOut = StressProviders.leftOut(provider);
    random = new Random(seed);
    sharesMemory = provider.equals("shm");
  }

  /**
   * Plays for the duration, and then has all processes check and close what they have.
   *
   * @return what has happened, in numbers
   * @throws AssertionError if anything was wrong
   */
  String play() throws IOException, InterruptedException {
    while (living.size() < PROCESSES) {
      start();
    }
    awaitBeginning();
    long end = System.nanoTime() + duration.toNanos();
    while (end - System.nanoTime() > 0) {
      handleFor(Duration.ofMillis(100 + random.nextInt(900)));
      disturb();
      awaitBeginning();
    }
    for (StressChild each : living) {
      each.say("go");
      each.say("drain");
    }
    for (StressChild each : List.copyOf(living)) {
      await(each, "drained");
    }
    for (StressChild each : List.copyOf(living)) {
      end(each);
    }
    checkFiles();
    long operations = dead.stream().mapToLong(each -> each.operations).sum();
    long received = dead.stream().mapToLong(each -> each.received).sum();
    return "%s: %d processes, %d killed, %d stopped, %d exits, %d ended; %,d operations, %,d received"
        .formatted(provider, started, kills, stops, exits, ends, operations, received);
  }

  /** Waits until all processes have an endpoint. */
  private void awaitBeginning() throws IOException, InterruptedException {
    for (StressChild each : List.copyOf(living)) {
      while (!each.begun) {
        handle(next(each, "its first endpoint"));
      }
    }
  }

  private void start() throws IOException {
    List<String> options = new ArrayList<>(OPTIONS);
    options.add(StressAction.option(leftOut));
    int number = ++started;
    ChildJvm jvm =
        ChildJvm.start(
            StressProgram.class,
            options,
            provider,
            Integer.toString(number),
            Long.toString(random.nextLong()),
            Long.toString(provider.contains("ofi_rxd") ? RXD_TICKS : TICKS));
    StressChild child = new StressChild(number, jvm);
    for (StressChild each : living) {
      each.offers.values().forEach(child::say);
    }
    living.add(child);
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            String line;
            do {
              line = jvm.line();
              lines.add(new Line(child, line));
            } while (line != null);
          } catch (IOException | UncheckedIOException closed) {
            lines.add(new Line(child, null));
          }
        });
  }

  /** Does something to one of the processes. */
  private void disturb() throws IOException, InterruptedException {
    StressChild victim = living.get(random.nextInt(living.size()));
    StressAction action = ACTIONS.get(random.nextInt(ACTIONS.size()));
    if (!action.isOn() || leftOut.contains(action)) {
      return;
    }
    switch (action) {
      case KILL -> kill(victim);
      case EXIT -> exit(victim);
      case STOP -> stop(victim);
      case END -> endAmongOthers(victim);
      default -> throw new AssertionError(action);
    }
  }

  private void kill(StressChild victim) throws IOException, InterruptedException {
    if (sharesMemory) {
      victim.say("park");
      await(victim, "parked");
    }
    victim.expectsEnd = true;
    victim.killed = true;
    victim.jvm.kill();
    kills++;
    ended(victim);
    start();
  }

  /** Ends a process whose endpoints are open. */
  private void exit(StressChild victim) throws IOException, InterruptedException {
    if (sharesMemory) {
      victim.say("park");
      await(victim, "parked");
    }
    victim.expectsEnd = true;
    victim.say("exit");
    int status = victim.jvm.exitStatus();
    if (status != 0) {
      throw new AssertionError("exit status " + status + " of " + victim.report());
    }
    exits++;
    ended(victim);
    start();
  }

  /**
   * Ends a process with nothing open. It opens no other vector any more, so over shared memory
   * nothing else is opened until then, or the vector could meet more peers than it can take.
   */
  private void endAmongOthers(StressChild victim) throws IOException, InterruptedException {
    if (sharesMemory) {
      calmAllBut(victim);
    }
    victim.say("drain");
    await(victim, "drained");
    end(victim);
    living.forEach(each -> each.say("go"));
    start();
  }

  /** Has processes open and close nothing. */
  private void calmAllBut(@Nullable StressChild except) throws IOException, InterruptedException {
    for (StressChild each : List.copyOf(living)) {
      if (each != except) {
        each.say("calm");
        await(each, "calmed");
      }
    }
  }

  private void end(StressChild victim) throws IOException, InterruptedException {
    victim.say("end");
    await(victim, "done");
    victim.expectsEnd = true;
    int status = victim.jvm.exitStatus();
    if (status != 0) {
      throw new AssertionError("exit status " + status + " of " + victim.report());
    }
    ends++;
    ended(victim);
  }

  private void ended(StressChild victim) {
    living.remove(victim);
    dead.add(victim);
    victim.toldAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(3_000));
    untold.add(victim);
  }

  /**
   * Stops a process for a while. Over shared memory nothing is closed until it has read what waits
   * for it.
   */
  private void stop(StressChild victim) throws IOException, InterruptedException {
    if (sharesMemory) {
      calmAllBut(null);
    }
    victim.jvm.stop();
    stops++;
    handleFor(Duration.ofMillis(1 + random.nextInt(1_500)));
    victim.jvm.resume();
    if (sharesMemory) {
      awaitAwoken(victim);
      living.forEach(each -> each.say("go"));
    }
  }

  private void awaitAwoken(StressChild child) throws IOException, InterruptedException {
    child.say("awake");
    await(child, "awoken");
  }

  private void tellAll(String line, StressChild except) {
    living.stream().filter(each -> each != except).forEach(each -> each.say(line));
  }

  private void handleFor(Duration time) throws IOException, InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      Line line = lines.poll(left, TimeUnit.NANOSECONDS);
      if (line != null) {
        handle(line);
      }
    }
  }

  private void await(StressChild child, String answer) throws IOException, InterruptedException {
    while (!child.answers.remove(answer)) {
      handle(next(child, answer));
    }
  }

  private Line next(StressChild child, String awaited) throws IOException, InterruptedException {
    Line line = lines.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    if (line == null) {
      throw new AssertionError("no news of '" + awaited + "' from " + child.report());
    }
    return line;
  }

  private void handle(Line line) throws IOException, InterruptedException {
    tellOfDead();
    StressChild from = line.from;
    String text = line.text;
    if (text == null) {
      if (!from.expectsEnd && living.contains(from)) {
        from.jvm.exitStatus();
        throw new AssertionError("has crashed: " + from.report());
      }
      return;
    }
    String[] words = text.split(" ");
    switch (words[0]) {
      case "open" -> {
        from.begun = true;
        offer(from, words[1], text.replace("open", "peer"));
      }
      case "region" -> offer(from, words[1] + " " + words[2], text);
      case "unregion" -> withdraw(from, words[1] + " " + words[2], text);
      case "shut" -> withdraw(from, words[1], text);
      case "did" -> {
        from.operations = Long.parseLong(words[1]);
        from.received = Long.parseLong(words[2]);
      }
      case "failed" ->
          throw new AssertionError(
              text.replace(" | ", "\n  ")
                  + ("\nin " + from.report())
                  + (text.contains(" hangs: ") ? from.nativeStacks() : ""));
      default -> from.answers.add(text);
    }
  }

  /** Tells others that a process has ended, a while after it has. */
  private void tellOfDead() {
    for (StressChild each : List.copyOf(untold)) {
      if (System.nanoTime() - each.toldAt > 0) {
        untold.remove(each);
        tellAll("dead " + each.number, each);
      }
    }
  }

  private void offer(StressChild from, String what, String line) {
    from.offers.put(what, line);
    tellAll(line, from);
  }

  private void withdraw(StressChild from, String what, String line) {
    from.offers.remove(what);
    from.offers.keySet().removeIf(each -> each.startsWith(what + " "));
    tellAll(line, from);
  }

  /** Only processes that were killed leave files, which are removed. */
  private void checkFiles() throws IOException {
    try (Stream<Path> files = Files.list(SHARED_MEMORY)) {
      for (Path each : files.toList()) {
        for (StressChild child : dead) {
          if (child.owns(each)) {
            if (!child.killed) {
              throw new AssertionError(each + " is left by " + child.report());
            }
            Files.deleteIfExists(each);
          }
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    List<StressChild> all = new ArrayList<>(dead);
    all.addAll(living);
    for (StressChild each : all) {
      each.jvm.close();
    }
    try (Stream<Path> files = Files.list(SHARED_MEMORY)) {
      for (Path file : files.toList()) {
        if (all.stream().anyMatch(each -> each.owns(file))) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
