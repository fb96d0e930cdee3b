// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The context of an operation of the stress test, which has to complete once. */
final class StressOperation {
  enum Kind {
    SEND,
    RECEIVE,
    RECEIVE_TAGGED,
    RECEIVE_SEVERAL,
    WRITE,
    READ,
    /** A write or read that has to fail. */
    FORBIDDEN
  }

  final Kind kind;
  final StressEndpoint endpoint;

  /** The memory of a receive or a read; null otherwise. */
  final @Nullable MemorySegment buffer;

  /** The peer of a send, a write or a read; null otherwise. */
  final @Nullable StressPeer peer;

  /** When it was posted, in ticks of the process. */
  final long posted;

  /** How many bytes go out; of a tagged receive, which tag it takes. */
  final long number;

  private boolean ended;

  StressOperation(
      Kind kind,
      StressEndpoint endpoint,
      @Nullable MemorySegment buffer,
      @Nullable StressPeer peer,
      long posted,
      long number) {
    this.kind = kind;
    this.endpoint = endpoint;
    this.buffer = buffer;
    this.peer = peer;
    this.posted = posted;
    this.number = number;
  }

  boolean isReceive() {
    return kind == Kind.RECEIVE || kind == Kind.RECEIVE_TAGGED || kind == Kind.RECEIVE_SEVERAL;
  }

  /** Notes that it has completed; false if it had completed before. */
  synchronized boolean end() {
    boolean first = !ended;
    ended = true;
    return first;
  }

  synchronized boolean isEnded() {
    return ended;
  }

  @Override
  public String toString() {
    return kind
        + " of "
        + endpoint.key
        + (peer == null ? "" : " to " + peer.key)
        + (isReceive() ? "" : ", " + number + " bytes out")
        + (buffer == null ? "" : ", " + buffer.byteSize() + " bytes")
        + ", posted at tick "
        + posted;
  }
}
