// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits in a completion queue or for a counter, in a thread of its own. Whether it
 * waits by now is seen from what the thread is in, and not guessed from a time.
 *
 * @param <T> what it returns
 */
public final class WaitingCall<T extends @Nullable Object> {
  private final FutureTask<T> call;
  private final Thread thread;

  /** Starts a call in a thread that is made for it. */
  public WaitingCall(Thread.Builder builder, Callable<T> call) {
    this.call = new FutureTask<>(call);
    thread = builder.start(this.call);
  }

  /** Starts a call in a virtual thread. */
  public WaitingCall(Callable<T> call) {
    this(Thread.ofVirtual(), call);
  }

  /** Returns once the call waits, or does so again; throws if it has returned. */
  public void awaitSleep() throws InterruptedException, ExecutionException {
    while (!isAsleep()) {
      if (call.isDone()) {
        throw new AssertionError("the call has returned " + call.get() + ", and should wait");
      }
      Thread.sleep(1);
    }
  }

  private boolean isAsleep() {
    StackTraceElement[] stack = thread.getStackTrace();
    return stack.length > 0
        && (isParked() || isInSelector(stack[0]))
        && Arrays.stream(stack).anyMatch(WaitingCall::isWait);
  }

  private boolean isParked() {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Platform threads count as running while they wait in a selector. */
  private static boolean isInSelector(StackTraceElement innermost) {
    return innermost.isNativeMethod() && innermost.getClassName().startsWith("sun.nio.ch.");
  }

  private static boolean isWait(StackTraceElement frame) {
    return frame.getClassName().equals("org.ofi4j.core.queue.AwaitedObject")
        && frame.getMethodName().equals("waitUntil");
  }

  /** Interrupts the thread. */
  public void interrupt() {
    thread.interrupt();
  }

  /** What the call returns, once it does. */
  public T get() throws InterruptedException, ExecutionException {
    return call.get();
  }
}
