// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Two reliable endpoints over tcp, each with manual progress. They check what they receive. */
final class EndpointCarrier implements Carrier {
  private final int bytes;
  private final MessagingEndpoint asking;
  private final MessagingEndpoint answering;
  private final ExecutorService answers =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());

  /** The work of the answering side. */
  @FunctionalInterface
  private interface Answer {
    void run(Runnable ready);
  }

  EndpointCarrier(int bytes) {
    this.bytes = bytes;
    asking = new MessagingEndpoint(MessagingBenchmark.WINDOW, bytes, MessagingOptions.TCP);
    answering = new MessagingEndpoint(MessagingBenchmark.WINDOW, bytes, MessagingOptions.TCP);
    asking.peer(answering.name());
    answering.peer(asking.name());
  }

  @Override
  public void stream(int messages) throws InterruptedException {
    beside(
        ready -> answering.take(bytes, messages, ready),
        () -> asking.stream(bytes, messages, false));
  }

  @Override
  public void roundTrips(int count) throws InterruptedException {
    beside(
        ready -> answering.answer(bytes, count, ready), () -> asking.ask(bytes, new long[count]));
  }

  private void beside(Answer answer, Runnable question) throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(1);
    Future<?> answered = answers.submit(() -> answer.run(ready::countDown));
    ready.await();
    question.run();
    try {
      answered.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    answers.close();
    asking.close();
    answering.close();
  }
}
