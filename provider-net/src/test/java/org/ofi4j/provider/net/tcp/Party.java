// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.Listener;

/**
 * An endpoint that takes part in {@linkplain Conversation conversations} with several peers: it
 * receives into buffers that it posts again, and looks at every byte. Runs in processes of its own
 * too, which want to start fast: so nothing here needs a library.
 */
final class Party implements AutoCloseable {
  /** Hears what happens. */
  interface Listener {
    /** A message has come whole. */
    void received(long number, long source);

    /** A message was acknowledged. */
    void acknowledged(long number);
  }

  private static final int COMPLETIONS_A_TURN = 64;

  final Rig rig;
  private final Listener listener;
  private final List<Conversation> conversations = new ArrayList<>();

  Party(Hints hints, Listener listener) {
    this.listener = listener;
    rig = Rig.reliable(hints);
    for (int i = 0; i < 2 * Conversation.WINDOW; i++) {
      post(Rig.buffer(Conversation.LONGEST));
    }
  }

  private void post(MemorySegment buffer) {
    rig.endpoint().receive(buffer, buffer);
  }

  /** Begins to talk; gives the handle of the other side. */
  long talkTo(FabricAddress other, long firstNumber, Random random) {
    long handle = rig.vector.insert(other);
    conversations.add(new Conversation(rig.endpoint(), handle, firstNumber, random));
    return handle;
  }

  /** Says nothing new from now on. */
  void fallSilent() {
    silent = true;
  }

  private boolean silent;

  /** Whether nothing it said is under way. */
  boolean isIdle() {
    return conversations.stream().allMatch(Conversation::isIdle);
  }

  /** Sends what may be under way, and takes what completes. */
  void turn(Duration patience) throws InterruptedException {
    if (!silent) {
      conversations.forEach(Conversation::goOn);
    }
    Completion next = rig.next(patience);
    for (int i = 0; next != null; i++) {
      take(next);
      next = i < COMPLETIONS_A_TURN ? rig.next(Duration.ZERO) : null;
    }
  }

  private void take(Completion ended) {
    switch (ended.context()) {
      case Conversation.Sent sent -> {
        if (!(ended instanceof Completion.Failure failure)) {
          listener.acknowledged(sent.number());
        } else if (failure.errno() != Errno.ECONNRESET) {
          throw new AssertionError("a send failed: " + failure);
        }
        sent.ended();
      }
      case MemorySegment buffer -> {
        if (!(ended instanceof Completion.Success received)) {
          throw new AssertionError("a receive failed: " + ended);
        }
        long number = NumberedMessage.read(buffer, received.length());
        if (number == NumberedMessage.BROKEN) {
          throw new AssertionError("a message of " + received.length() + " bytes is broken");
        }
        listener.received(number, received.source());
        post(buffer);
      }
      case null, default -> throw new AssertionError("nobody asked for " + ended);
    }
  }

  @Override
  public void close() {
    rig.close();
  }
}
