// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Recorder;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.LibfabricProgram;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.TimeSource;

/** A program in C that drives a provider of libfabric, or memory alone, and times itself. */
final class NativeSubject implements Subject, Contender {
  private static final int MOST_IN_TURN = 50_000;
  private static final int PATIENCE_SECONDS = 120;

  private final Side side;
  private final LineProcess process;
  private final Path directory;
  private final String version;
  private @Nullable RoundWork work;
  private @Nullable Loaded loaded;
  private String provider = "";

  /** What stays here of a workload: the process has its bytes. */
  private record Loaded(int count, long sum) {}

  /** Starts a program that works on addresses, with a directory of its own for them. */
  NativeSubject(LibfabricProgram program, Side side, TimeSource time, OpenProcesses processes)
      throws IOException {
    this.side = side;
    directory = program.newDirectory(side.id());
    List<String> command = new ArrayList<>(List.of(program.path().toString()));
    if (side != Side.MEMORY) {
      command.add(side.provider());
    }
    command.add(time.word());
    process =
        processes.add(
            new LineProcess(
                side.title(),
                PATIENCE_SECONDS,
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD)));
    version = process.answer("starting");
  }

  @Override
  public Side side() {
    return side;
  }

  /** The version of libfabric, if it is one of its providers. */
  String version() {
    return version;
  }

  /** The provider as libfabric names it, such as {@code tcp;ofi_rxm}. */
  String provider() {
    return provider;
  }

  @Override
  public void load(RoundWork next, int peers) {
    work = next;
    try (Arena arena = Arena.ofConfined()) {
      load(next.workload(arena, next.peers(peers)));
    }
  }

  @Override
  public void round(int number, FigureSink figures) {
    RoundWork current = Objects.requireNonNull(work, "nothing was loaded");
    current.round(this, new Recorder(figures, side, count(), number));
  }

  @Override
  public void load(Workload workload) {
    loaded = new Loaded(workload.count(), workload.sum());
    try {
      provider = load(0, workload.addresses());
      AddressList others = workload.others();
      if (others != null) {
        load(1, others);
      }
      Path file = directory.resolve("order");
      ByteBuffer bytes = ByteBuffer.allocate(4 * workload.count()).order(ByteOrder.nativeOrder());
      bytes.asIntBuffer().put(workload.order());
      Files.write(file, bytes.array());
      process.tell("order " + workload.count() + " " + file);
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException("addresses for libfabric: " + e.getMessage(), e);
    }
  }

  private String load(int number, AddressList list) throws IOException {
    Path file = directory.resolve("addresses");
    list.writeTo(file);
    String name =
        process.tell(
            "load " + number + " " + list.count() + " " + list.family().length() + " " + file);
    Files.delete(file);
    return name;
  }

  private Loaded loaded() {
    return Objects.requireNonNull(loaded, "nothing was loaded");
  }

  @Override
  public int count() {
    return loaded().count();
  }

  private long nanos(String command) {
    return Long.parseLong(process.tell(command));
  }

  private long hint(boolean hint) {
    return hint ? loaded().count() : 0;
  }

  @Override
  public long insert(boolean hint) {
    return nanos("insert " + hint(hint));
  }

  @Override
  public long insertSingly() {
    return nanos("insert-singly");
  }

  @Override
  public long lookup() {
    String[] numbers = process.tell("lookup").split(" ", -1);
    Subject.check(
        Long.parseUnsignedLong(numbers[1]),
        loaded().sum(),
        "sum of all addresses looked up by " + side.title());
    return Long.parseLong(numbers[0]);
  }

  /** libfabric has no reverse lookup. */
  @Override
  public int searched() {
    return side == Side.MEMORY ? Math.min(count(), MOST_SEARCHED) : 0;
  }

  @Override
  public long find() {
    return nanos("find " + searched());
  }

  /** How many searches {@link #findInTurn} makes: one load after the other takes long. */
  int searchedInTurn() {
    return Math.min(count(), MOST_IN_TURN);
  }

  /** As {@link #find} of memory alone, but each search begins when the one before has ended. */
  long findInTurn() {
    return nanos("find-in-turn " + searchedInTurn());
  }

  @Override
  public long removeInOrder() {
    return nanos("remove");
  }

  @Override
  public long removeRandomly() {
    return nanos("remove-randomly");
  }

  @Override
  public long churn(int cycles) {
    return nanos("churn " + cycles);
  }

  @Override
  public long insertSymmetric(String node, int nodes, int service, int services) {
    return nanos("insert-symmetric " + node + " " + nodes + " " + service + " " + services);
  }

  /** Private memory of the process in bytes. */
  long resident() {
    return Long.parseLong(process.tell("resident"));
  }

  @Override
  public void closeVector() {
    process.tell("close");
  }

  @Override
  public void close() {
    process.close();
  }
}
