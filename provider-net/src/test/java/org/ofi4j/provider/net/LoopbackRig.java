// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;

/** A domain with a vector and a queue, and what tests say to each other over its endpoints. */
public abstract class LoopbackRig implements AutoCloseable {
  /**
   * How long tests wait for an event that has to come: longer than JUnit lets any test run. A
   * slower machine needs more time, and JUnit's timeout prints what each thread waits for.
   */
  public static final Duration PATIENCE = Duration.ofDays(1);

  public final Fabric fabric;
  public final Domain domain;
  public final AddressVector vector;
  public final CompletionQueue queue;

  protected LoopbackRig(
      Hints hints, VectorOptions vectorOptions, CompletionQueueOptions queueOptions) {
    fabric = Fabrics.open(hints);
    domain = fabric.openDomain();
    vector = domain.openAddressVector(vectorOptions);
    queue = domain.openCompletionQueue(queueOptions);
  }

  /** Both families that this host has, with both kinds of progress. */
  public static List<Hints> kinds(BiFunction<String, Progress, Hints> hints) {
    List<Hints> kinds = new ArrayList<>();
    for (String node : List.of("127.0.0.1", "::1")) {
      for (Progress progress : List.of(Progress.MANUAL, Progress.AUTO)) {
        Hints kind = hints.apply(node, progress);
        if (!Fabrics.info(kind).offers().isEmpty()) {
          kinds.add(kind);
        }
      }
    }
    return kinds;
  }

  /** Takes every completion, whichever kind it is, into a collection. */
  public static CompletionHandler collector(Collection<Completion> into) {
    return new CompletionHandler() {
      @Override
      public void completed(
          @Nullable Object context, long flags, long length, long data, long tag, long source) {
        into.add(new Completion.Success(context, flags, length, data, tag, source));
      }

      @Override
      public void failed(Completion.Failure failure) {
        into.add(failure);
      }
    };
  }

  public static MemorySegment buffer(long size) {
    return Arena.ofAuto().allocate(size);
  }

  public static MemorySegment message(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String text(MemorySegment buffer, long length) {
    return new String(
        buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  /** Closes the endpoints; the rest follows. */
  protected abstract void closeEndpoints();

  @Override
  public final void close() {
    closeEndpoints();
    queue.close();
    vector.close();
    domain.close();
    fabric.close();
  }
}
