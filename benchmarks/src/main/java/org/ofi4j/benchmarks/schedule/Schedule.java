// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.schedule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.schedule.Stage.Place;

/**
 * Runs stages: the early ones, two at a time where there are two processors, then the quiet ones,
 * one after the other, then the late ones as the early ones. The figures come in the order of the
 * stages, whenever they were measured.
 */
public final class Schedule {
  private static final int LANES = 2;

  private final Results results;
  private final BenchmarkListener listener;
  private final OpenProcesses processes;
  private final int all;
  private int done;

  /**
   * A schedule of so many stages in all. When a stage fails the processes are closed, so that the
   * one beside it ends too.
   */
  public Schedule(Results results, BenchmarkListener listener, OpenProcesses processes, int all) {
    this.results = results;
    this.listener = listener;
    this.processes = processes;
    this.all = all;
  }

  /** A stage, and the figures that it gave. */
  private record Pending(Stage stage, List<Figure> figures) {}

  /** Runs stages to their end. */
  public void run(List<Stage> stages) throws IOException, InterruptedException {
    try {
      perform(stages);
    } catch (RuntimeException | IOException | InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private void perform(List<Stage> stages) throws Exception {
    List<Pending> pending =
        stages.stream().map(stage -> new Pending(stage, new ArrayList<>())).toList();
    int lanes = Math.min(LANES, Runtime.getRuntime().availableProcessors());
    Queue<Pending> early = at(Place.EARLIEST, pending);
    early.addAll(at(Place.EARLY, pending));
    beside(at(Place.EARLY_WITH_LIBFABRIC, pending), early, lanes);
    drain(at(Place.QUIET, pending));
    beside(new ConcurrentLinkedQueue<>(), at(Place.LATE, pending), lanes);
    for (Pending one : pending) {
      boolean quiet = lanes == 1 || one.stage().place() == Place.QUIET;
      one.figures().forEach(figure -> results.add(figure, quiet));
    }
  }

  private static Queue<Pending> at(Place place, List<Pending> pending) {
    return new ConcurrentLinkedQueue<>(
        pending.stream().filter(one -> one.stage().place() == place).toList());
  }

  /** The first lane has libfabric's work and then helps the others. */
  private void beside(Queue<Pending> libfabric, Queue<Pending> others, int lanes) throws Exception {
    Exception failure = null;
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes)) {
      ExecutorCompletionService<@Nullable Void> running = new ExecutorCompletionService<>(threads);
      for (int lane = 0; lane < lanes; lane++) {
        boolean isFirst = lane == 0;
        running.submit(() -> {
          if (isFirst) {
            drain(libfabric);
          }
          drain(others);
          return null;
        });
      }
      for (int lane = 0; lane < lanes; lane++) {
        try {
          running.take().get();
        } catch (ExecutionException e) {
          failure = first(failure, e);
          processes.close();
        } catch (InterruptedException e) {
          failure = e;
          processes.close();
          threads.shutdownNow();
          break;
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The later ones come from what was ended because of the first. */
  private static Exception first(@Nullable Exception earlier, ExecutionException later) {
    if (earlier != null) {
      return earlier;
    }
    return later.getCause() instanceof Exception cause ? cause : later;
  }

  private void drain(Queue<Pending> queue) throws Exception {
    for (Pending next = queue.poll(); next != null; next = queue.poll()) {
      perform(next);
    }
  }

  private void perform(Pending pending) throws Exception {
    synchronized (this) {
      listener.at(pending.stage().title(), done, all);
    }
    pending.stage().work().run(pending.figures()::add);
    synchronized (this) {
      done++;
    }
  }
}
