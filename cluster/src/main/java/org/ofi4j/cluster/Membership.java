// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

/**
 * A member that this process has published. Safe to call from any thread.
 *
 * <p>The state says whether other processes may still take this process for the member. A process
 * that acts as its member, for instance as the only writer of something, checks the state before it
 * acts, and stops when the state is not {@link State#JOINED}. A check cannot cover the time between
 * the check and the action: a resource that must never be changed by an earlier incarnation checks
 * {@link Member#incarnation()} itself, as a fencing token.
 */
public interface Membership extends AutoCloseable {
  /** Whether the member is still this process. */
  enum State {
    /** ZooKeeper had the member less than one session timeout ago. */
    JOINED,

    /**
     * The connection to ZooKeeper is interrupted. Other processes still have the member. The state
     * becomes {@link #JOINED} or {@link #LOST}.
     */
    SUSPENDED,

    /**
     * The session with ZooKeeper is over, or ZooKeeper has not answered for the session's timeout
     * and may have ended it. Other processes may have removed the member, and another process may
     * join as its rank. The member is published again when the connection is back, as the same
     * incarnation: the state becomes {@link #JOINED}, or {@link #REPLACED}.
     */
    LOST,

    /**
     * Another process has joined as this rank, or the session has ended in a job that {@linkplain
     * Job#expiring() expires}. This member is not published again; the state is final. Only a
     * member of a job can be replaced.
     */
    REPLACED,

    /** The membership was closed; the state is final. */
    CLOSED
  }

  /** {@return the member, with the incarnation that it got} */
  Member member();

  /**
   * Returns the state of this moment. It is {@link State#LOST} one session timeout after the last
   * answer of ZooKeeper at the latest, also if only the link to ZooKeeper is cut and no event has
   * said so, or this process was stopped for that long.
   *
   * @return the state
   */
  State state();

  /**
   * Adds a listener that hears each later change of the state as a {@link
   * MemberEvent.StateChanged}, and at once the present state if that is not {@link State#JOINED}.
   * One thread calls all listeners of the memberships of this process in the group. A listener of
   * {@link Job#join(org.ofi4j.AddressVector, org.ofi4j.FabricAddress, int, java.time.Duration,
   * MemberOptions, MemberListener)} hears these events without being added.
   *
   * @param listener the listener
   */
  void addListener(MemberListener listener);

  /**
   * Leaves. A member of a job also stops looking at the others; the vector stays as it is. Waits
   * until ZooKeeper has heard of it or, without connection, gives up waiting: then the session
   * takes the member with it when it ends. Calling it again does nothing.
   */
  @Override
  void close();
}
