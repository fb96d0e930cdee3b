// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import static org.ofi4j.core.object.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.core.object.Tally;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * What sends go through: their number is bounded, and they end in one completion queue. Guarded by
 * the lock of the endpoint.
 */
public final class TransmitContext extends Outcomes<Send> {
  private static final long MESSAGE = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.SEND);
  private static final long TAGGED = Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.SEND);

  private static final long WRITE = Flag.maskOf(CompletionFlag.RMA, CompletionFlag.WRITE);
  private static final long READ = Flag.maskOf(CompletionFlag.RMA, CompletionFlag.READ);

  private final int size;
  private final Operations<Send> idle = new Operations<>();
  private int made;
  private final Tally outstanding = new Tally();

  // Of a scalable endpoint: what is posted is dropped without a word.
  private boolean closed;

  public TransmitContext(Binding binding, int size) {
    super(binding);
    this.size = size;
  }

  /** A send to be filled in; null if all are under way. */
  public @Nullable Send take(int operation) {
    Send send = idle.poll();
    if (send == null) {
      if (closed) {
        throw invalid("the transmit context is closed: open it again");
      }
      if (made == size) {
        return null;
      }
      send = new Send(this);
      made++;
    }
    outstanding.add(1);
    send.operation = operation;
    send.flags =
        switch (operation) {
          case FrameHeader.TAGGED -> TAGGED;
          case FrameHeader.WRITE -> WRITE;
          case FrameHeader.READ_REQUEST -> READ;
          default -> MESSAGE;
        };
    return send;
  }

  /** Nothing more is posted, and nothing of what was is reported any more. */
  public void close() {
    closed = true;
    detach();
    // So that taking one finds out.
    idle.clear();
  }

  boolean isClosed() {
    return closed;
  }

  /** Takes its sends out of those that wait for a connection. */
  public void withdrawFrom(Operations<Send> waiting) {
    Send before = null;
    Send each = waiting.first();
    while (each != null) {
      Send following = waiting.after(each);
      if (equals(each.owner())) {
        waiting.removeAfter(before, each);
      } else {
        before = each;
      }
      each = following;
    }
  }

  @Override
  public void report(Send send) {
    if (!closed) {
      super.report(send);
    }
  }

  public void fail(Send send, Errno errno, String reason) {
    send.fail(errno, reason);
    report(send);
  }

  @Override
  public CounterFlag counted(Send send) {
    return switch (send.operation) {
      case FrameHeader.WRITE -> CounterFlag.WRITE;
      case FrameHeader.READ_REQUEST -> CounterFlag.READ;
      default -> CounterFlag.SEND;
    };
  }

  @Override
  public long moved(Send send) {
    // Not the payload of the frame: that of a read comes back, and what is announced goes later.
    return send.message.length();
  }

  /** How many sends are under way, or were not reported; for any thread. */
  public long outstanding() {
    return outstanding.get();
  }

  @Override
  public void reported(Send send) {
    send.clear();
    outstanding.add(-1);
    idle.add(send);
  }
}
