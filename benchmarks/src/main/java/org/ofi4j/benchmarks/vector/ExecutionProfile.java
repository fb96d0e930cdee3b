// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * Which parts of this library work is done in: samples that JDK Flight Recorder takes while a JVM
 * does nothing else. A sample counts for the class whose code was running, code of the JDK for the
 * class that called it.
 */
final class ExecutionProfile {
  /** Options of the JVM that make samples exact. */
  static final String[] JVM_OPTIONS = {"-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"};

  private static final String EVENT = "jdk.ExecutionSample";
  private static final String OURS = "org.ofi4j.";
  private static final String BENCHMARKS = "org.ofi4j.benchmarks.";
  private static final String LOOP = "the loop around it";
  private static final int FEW_PEERS = 50_000;
  private static final long WARM_UP_NANOS = 1_000_000_000;
  private static final long RECORDED_NANOS = 2_000_000_000;

  private final FigureSink figures;
  private final TimeSource time;

  ExecutionProfile(FigureSink figures, TimeSource time) {
    this.figures = figures;
    this.time = time;
  }

  /** Warms up with few peers, then does the work with all of them and looks where it is. */
  void run(ProfiledWork work, int peers) throws IOException {
    try (Arena arena = Arena.ofShared();
        Ofi4jSubject subject = new Ofi4jSubject(time)) {
      subject.load(Workload.of(arena, work.pattern(), Family.IPV4, Math.min(FEW_PEERS, peers)));
      repeat(work, subject, WARM_UP_NANOS);
      subject.load(Workload.of(arena, work.pattern(), Family.IPV4, peers));
      work.on(subject);
      Path file = Files.createTempFile("ofi4j", ".jfr");
      try (Recording recording = new Recording()) {
        recording.enable(EVENT).withPeriod(Duration.ofMillis(1));
        recording.start();
        repeat(work, subject, RECORDED_NANOS);
        recording.stop();
        recording.dump(file);
        report(samples(file, work.method()), peers);
      } finally {
        Files.delete(file);
      }
    }
  }

  private static void repeat(ProfiledWork work, Ofi4jSubject subject, long nanos) {
    long begin = System.nanoTime();
    do {
      work.on(subject);
    } while (System.nanoTime() - begin < nanos);
  }

  private static Map<String, Integer> samples(Path file, String method) throws IOException {
    Map<String, Integer> samples = new TreeMap<>();
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        part(events.readEvent(), method).ifPresent(part -> samples.merge(part, 1, Integer::sum));
      }
    }
    return samples;
  }

  /** The class that a sample counts for, if it is one of the work. */
  private static Optional<String> part(RecordedEvent event, String method) {
    if (!event.getEventType().getName().equals(EVENT) || event.getStackTrace() == null) {
      return Optional.empty();
    }
    String part = LOOP;
    for (RecordedFrame frame : event.getStackTrace().getFrames()) {
      String type = frame.getMethod().getType().getName();
      if (type.equals(Ofi4jSubject.class.getName()) && frame.getMethod().getName().equals(method)) {
        return Optional.of(part);
      }
      if (part.equals(LOOP) && type.startsWith(OURS) && !type.startsWith(BENCHMARKS)) {
        String name = type.substring(type.lastIndexOf('.') + 1);
        int nested = name.indexOf('$');
        part = nested < 0 ? name : name.substring(0, nested);
      }
    }
    return Optional.empty();
  }

  /** Each class with its share in hundredths, the largest first. */
  private void report(Map<String, Integer> samples, int peers) {
    int all = samples.values().stream().mapToInt(Integer::intValue).sum();
    samples.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(entry ->
            figures.add(
                new Quantity("profile", entry.getKey(), Unit.PERCENT),
                peers,
                100.0 * entry.getValue() / all));
  }
}
