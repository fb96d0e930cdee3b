// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import java.util.concurrent.atomic.AtomicBoolean;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.NativeInfo;

/**
 * A peer that has asked for a connection and waits for an answer. A passive endpoint has it until
 * it is rejected, claimed by the endpoint that is to accept it, or gone; that endpoint has it from
 * then on.
 */
public final class NativeConnectionRequest implements ConnectionHandle {
  /** What has become of it. */
  enum Fate {
    /** It waits for an answer. */
    WAITING,
    /** An endpoint has it, and nobody else answers it. */
    CLAIMED,
    /** It was rejected. */
    REJECTED,
    /** The passive endpoint was closed, or nobody has answered in time. */
    GONE
  }

  private final ListeningEndpoint endpoint;
  private final NativeInfo info;
  private final FabricAddress peer;

  /** When it is refused, by {@link System#nanoTime}. */
  final long deadline;

  /** Whether the endpoint that has claimed it is done with it. */
  private final AtomicBoolean settled = new AtomicBoolean();

  // Written with the lock of the passive endpoint held.
  private volatile Fate fate = Fate.WAITING;

  NativeConnectionRequest(
      ListeningEndpoint endpoint, NativeInfo info, FabricAddress peer, long deadline) {
    this.endpoint = endpoint;
    this.info = info;
    this.peer = peer;
    this.deadline = deadline;
  }

  /** What libfabric has said of it, with the request; the owner's to close. */
  public NativeInfo info() {
    return info;
  }

  /** Where it came from. */
  public FabricAddress peer() {
    return peer;
  }

  boolean isOf(ListeningEndpoint one) {
    return endpoint.equals(one);
  }

  /**
   * Takes it from the passive endpoint, to be answered by an endpoint of its own.
   *
   * @throws FabricException if it does not wait any more
   */
  public void claim() {
    endpoint.claim(this);
  }

  /** As {@link #claim}; returns false if it does not wait any more. */
  public boolean tryClaim() {
    try {
      claim();
      return true;
    } catch (FabricException answered) {
      return false;
    }
  }

  /** The endpoint that has claimed it will never accept it, unless it has. */
  public void giveUp() {
    if (settled.compareAndSet(false, true)) {
      endpoint.giveUp(this);
    }
  }

  /** The endpoint that has claimed it has accepted it: libfabric has freed the request. */
  public void accepted() {
    if (settled.compareAndSet(false, true)) {
      info.close();
    }
  }

  void become(Fate now) {
    fate = now;
  }

  /** Refuses an answer to what waits for none. */
  void checkWaiting() {
    switch (fate) {
      case WAITING -> {
        // As it should be.
      }
      case CLAIMED -> throw late(Errno.EINVAL, "belongs to an endpoint that was opened for it");
      case REJECTED -> throw late(Errno.EINVAL, "was rejected");
      case GONE ->
          throw late(
              Errno.ECONNABORTED, "is gone, as the passive endpoint or the time to answer is");
    }
  }

  boolean isGone() {
    return fate == Fate.GONE;
  }

  private FabricException late(Errno errno, String what) {
    return new FabricException(errno, this + " " + what + ": wait for another one");
  }

  @Override
  public String toString() {
    return "connection request of " + peer;
  }
}
