// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Recorder;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.LibfabricProgram;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** libfabric's side of a run. One thread at a time. */
final class Libfabric {
  /** With fewer peers, what a process takes for itself counts more than the vector. */
  static final int LEAST_RESIDENT = 250_000;

  private static final int FEW_PEERS = 20_000;
  private static final int WARM_UP_ROUNDS = 5;

  private final BenchmarkOptions options;
  private final OpenProcesses processes;
  private @Nullable LibfabricProgram program;
  private @Nullable LibfabricProgram memory;
  private @Nullable NativeSubject udp;
  private String version = "";
  private String tcpProvider = "";

  Libfabric(BenchmarkOptions options, OpenProcesses processes) {
    this.options = options;
    this.processes = processes;
  }

  /** Compiles the program that drives it, and the one for memory alone. */
  void compile(Path directory) throws IOException, InterruptedException {
    program = LibfabricProgram.compile(directory, LibfabricProgram.ADDRESS_VECTOR, System.getenv());
    memory = LibfabricProgram.compile(directory, LibfabricProgram.MEMORY, System.getenv());
  }

  /** Starts a process for a provider, or for memory alone. */
  NativeSubject start(Side side) throws IOException {
    LibfabricProgram compiled = side == Side.MEMORY ? memory : program;
    return new NativeSubject(
        Objects.requireNonNull(compiled, "not compiled"), side, options.time(), processes);
  }

  /**
   * Starts a process for the udp provider, which stays for all work with so many peers. The first
   * vector that it fills shows how its memory grows, the next ones warm it up.
   */
  void startUdp(int peers, FigureSink figures) throws IOException {
    if (udp != null) {
      udp.close();
    }
    NativeSubject subject = start(Side.UDP);
    version = subject.version();
    if (peers >= LEAST_RESIDENT) {
      loadScattered(subject, peers);
      long before = subject.resident();
      subject.insert(false);
      resident(Side.UDP, peers, subject.resident() - before, figures);
      subject.closeVector();
    }
    warmUp(subject);
    udp = subject;
  }

  private static void loadScattered(NativeSubject subject, int peers) {
    try (Arena arena = Arena.ofConfined()) {
      subject.load(Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, peers));
    }
  }

  /** Loads what its provider loads late, and lets the process have memory once. */
  private static void warmUp(NativeSubject subject) {
    loadScattered(subject, FEW_PEERS);
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      subject.insert(true);
      subject.lookup();
      subject.removeInOrder();
    }
    subject.closeVector();
  }

  /** The udp provider. */
  NativeSubject udp() {
    return Objects.requireNonNull(udp, "not started");
  }

  /**
   * Everything that the tcp provider does, once and in a fresh process, because no bar is about it
   * and a million inserts of its take seconds.
   */
  void tcp(int peers, FigureSink figures) throws IOException {
    try (NativeSubject subject = start(Side.TCP)) {
      if (peers < LEAST_RESIDENT) {
        warmUp(subject);
      }
      loadScattered(subject, peers);
      tcpProvider = subject.provider();
      long before = subject.resident();
      Recorder recorder = new Recorder(figures, Side.TCP, peers, 0);
      recorder.nanos(
          Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true), subject.insert(true));
      if (peers >= LEAST_RESIDENT) {
        resident(Side.TCP, peers, subject.resident() - before, figures);
      }
      recorder.nanos(Quantity.LOOKUP, subject.lookup());
      recorder.nanos(Quantity.REMOVE_IN_ORDER, subject.removeInOrder());
      recorder.flush();
    }
  }

  private static void resident(Side side, int peers, long bytes, FigureSink figures) {
    Quantity quantity = Quantity.resident(AddressPattern.SCATTERED, Family.IPV4);
    figures.add(new Figure(quantity, peers, side, (double) bytes / peers));
  }

  /** The version and the providers, or null where no size was small enough to compare. */
  @Nullable String describe() {
    return udp == null ? null : version + " (" + udp.provider() + ", " + tcpProvider + ")";
  }
}
