// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.ofi4j.FabricException;

/** Who waits until something is so. */
final class Waiters {
  private final Loop loop;

  /** The loop's alone. */
  private final List<Waiter> waiters = new ArrayList<>();

  Waiters(Loop loop) {
    this.loop = loop;
  }

  private record Waiter(BooleanSupplier condition, CompletableFuture<Boolean> answer) {}

  /** Done when a condition holds, which is asked by the loop, after each change. */
  CompletableFuture<Boolean> when(BooleanSupplier condition) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    loop.execute(() -> {
      waiters.add(new Waiter(condition, answer));
      ask();
    });
    return answer;
  }

  /** Ends all waits with a failure; for the loop. */
  void fail(FabricException failure) {
    waiters.forEach(each -> each.answer.completeExceptionally(failure));
    waiters.clear();
  }

  /** Asks all conditions, after a change; for the loop. */
  void ask() {
    waiters.removeIf(each -> {
      boolean holds = !each.answer.isDone() && each.condition.getAsBoolean();
      return each.answer.isDone() || (holds && each.answer.complete(true));
    });
  }
}
