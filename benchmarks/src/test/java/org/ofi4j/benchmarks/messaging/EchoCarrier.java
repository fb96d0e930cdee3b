// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;

/**
 * A carrier whose answering side counts messages, and sends back each that begins with {@link
 * #LAST}.
 */
abstract class EchoCarrier implements Carrier {
  /** The first byte of a message after which others follow. */
  static final byte MORE = 0;

  /** The first byte of a message that is to be sent back. */
  static final byte LAST = 1;

  private long received;
  private volatile long confirmed;

  /** Sends messages, of which the last begins with {@link #LAST}. */
  abstract void send(int messages) throws IOException;

  /** Returns when a message was sent back. */
  abstract void awaitAnswer() throws IOException, InterruptedException;

  @Override
  public final void stream(int messages) throws IOException, InterruptedException {
    long before = confirmed;
    send(messages);
    awaitAnswer();
    if (confirmed - before != messages) {
      throw new IllegalStateException((confirmed - before) + " of " + messages + " messages came");
    }
  }

  /** Counts a message on the answering side; returns whether to send it back. */
  final boolean received(byte first) {
    received++;
    if (first != LAST) {
      return false;
    }
    confirmed = received;
    return true;
  }
}
