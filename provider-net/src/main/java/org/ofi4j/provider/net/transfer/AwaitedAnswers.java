// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * What is out over one connection and waits for the peer: sends for their acknowledgements, reads
 * for their answers, both in the order in which they went out. For one thread at a time.
 */
public final class AwaitedAnswers {
  // A peer has no other answer for an access that it refuses than to close the connection.
  private static final String REFUSED =
      "; if the peer refuses the access: look at key, rights and bounds of its memory region";

  private final Operations<Send> unacknowledged = new Operations<>();
  private final Operations<Send> reads = new Operations<>();

  AwaitedAnswers() {}

  boolean isEmpty() {
    return reads.isEmpty() && unacknowledged.isEmpty();
  }

  int reads() {
    return reads.size();
  }

  /** All of a send is out, and it is a read or is to be acknowledged. */
  void add(Send send) {
    if (send.isRead()) {
      reads.add(send);
    } else {
      unacknowledged.add(send);
    }
  }

  /** The first of the sends that wait for an acknowledgement has it. */
  public void acknowledged(FrameHeader header) throws ProtocolException {
    Send send = unacknowledged.poll();
    if (send == null || header.payload() != 0) {
      throw new ProtocolException("an acknowledgement came that nothing waits for");
    }
    send.owner().report(send);
  }

  /** The read that an answer is for, which says where its bytes go. */
  public Send answered(FrameHeader header) throws ProtocolException {
    Send read = reads.first();
    if (read == null || read.memory.length() != header.payload()) {
      throw new ProtocolException("an answer came that no read waits for");
    }
    reads.poll();
    return read;
  }

  /** The connection is lost: nobody knows what the peer has done. */
  void fail(Errno errno, String reason) {
    String refused = errno == Errno.ECONNRESET ? reason + REFUSED : reason;
    for (@Nullable Send send = reads.poll(); send != null; send = reads.poll()) {
      send.owner().fail(send, errno, refused);
    }
    for (@Nullable Send send = unacknowledged.poll(); send != null; send = unacknowledged.poll()) {
      send.owner().fail(send, errno, send.operation == FrameHeader.WRITE ? refused : reason);
    }
  }
}
