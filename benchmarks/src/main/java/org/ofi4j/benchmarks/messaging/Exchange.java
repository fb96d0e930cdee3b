// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;

/**
 * One side of an exchange of messages between two processes, done by one thread that never sleeps
 * while it waits. What only prepares or checks happens outside the time.
 */
interface Exchange extends AutoCloseable {
  /** Over what, for people. */
  String title();

  /** Where peers reach it, in one word. */
  String name();

  /** Whom it talks to. */
  void peer(String name) throws IOException;

  /** Sends back each of so many messages; says when the first may come. */
  void answer(int size, int count, Runnable ready) throws IOException;

  /** Sends and waits for the answer, as often as there is room for times in nanoseconds. */
  void ask(int size, long[] times) throws IOException;

  /** Receives so many messages, and tells the peer; says when the first may come. */
  void take(int size, int count, Runnable ready) throws IOException;

  /**
   * Sends so many messages; the nanoseconds until the peer has all of them.
   *
   * @param announced whether to say of each but the last of those posted in a row that another
   *     follows, if that can be said
   */
  long stream(int size, int count, boolean announced) throws IOException;

  @Override
  void close() throws IOException;
}
