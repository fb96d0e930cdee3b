// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;

/**
 * One side of an exchange of messages between two processes: an endpoint of this library, or
 * something that an application could use instead. One thread calls it. Whatever only prepares or
 * checks happens outside the measured time.
 */
interface Peer extends AutoCloseable {
  /** The most messages of a stream that are under way, where the peer can know it. */
  int WINDOW = 64;

  /** The messages that are written together, where the peer collects short ones. */
  int MESSAGES_OF_A_WRITE = 16;

  /** The longest of the short messages, in bytes: longer ones are written one by one. */
  int SHORT = 4096;

  /** Returns the name by which the other side finds this one: one word. */
  String name();

  /** Connects to the other side, which connects at the same time. */
  void connect(String name) throws IOException;

  /** Sends back each of the given number of messages; reports when the first may come. */
  void answer(int size, int count, Runnable ready) throws IOException, InterruptedException;

  /** Sends a message and waits for the answer, once for each element; nanoseconds go into it. */
  void ask(int size, long[] times) throws IOException, InterruptedException;

  /** Receives messages and then sends one byte; reports when the first may come. */
  void take(int size, int count, Runnable ready) throws IOException, InterruptedException;

  /**
   * Sends messages.
   *
   * @param announced whether each message but the last of those posted in a row says that another
   *     one follows; only endpoints can do so
   * @return the nanoseconds until the other side has confirmed all of them
   */
  long stream(int size, int count, boolean announced) throws IOException, InterruptedException;

  @Override
  void close();

  /** Returns a byte of a question. */
  static byte content(int place, int seed) {
    return (byte) (place * 7 + seed);
  }

  /** Checks how many bytes came. */
  static void checkReceived(long bytes, long expected) {
    if (bytes != expected) {
      throw new IllegalStateException(bytes + " bytes came where " + expected + " were to come");
    }
  }

  /** Checks an answer. */
  static void checkContent(boolean isSame) {
    if (!isSame) {
      throw new IllegalStateException("a message came back with other content");
    }
  }
}
