// SPDX-License-Identifier: Apache-2.0
package examples;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;

/** Completion queues. Javadoc shows the methods, and a test runs them. */
final class Queues {
  private Queues() {}

  // @start region="read"
  static String next(CompletionQueue queue) throws InterruptedException {
    return switch (queue.read(Duration.ofSeconds(5))) {
      case Completion.Success success ->
          success.operation() + " " + success.context() + " of " + success.length() + " bytes";
      case Completion.Failure failure ->
          failure.operation() + " " + failure.context() + " failed: " + failure.reason();
      case null -> "nothing for five seconds, or the queue was closed";
    };
  }

  // @end

  // @start region="take"
  static long nextLength(CompletionQueue queue) throws InterruptedException {
    return queue.take(Duration.ofSeconds(5)).length();
  }

  // @end

  // @start region="handler"
  static CompletionHandler listing(List<Object> ended) {
    return new CompletionHandler() {
      @Override
      public void completed(
          Object context, long flags, long length, long data, long tag, long source) {
        ended.add(context);
      }

      @Override
      public void failed(Completion.Failure failure) {
        ended.add(failure.errno());
      }
    };
  }

  // @end

  // @start region="ready"
  static void serve(CompletionQueue queue, CompletionHandler handler, Executor eventLoop) {
    while (queue.poll(handler, 64) > 0) {}
    queue.whenReady(() -> eventLoop.execute(() -> serve(queue, handler, eventLoop)));
  }
  // @end
}
