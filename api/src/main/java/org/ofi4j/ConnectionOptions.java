// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * Timeouts, early messages and security of an endpoint's connections. An endpoint refuses with
 * {@link Errno#ENOSYS} options that are not for its kind: datagrams have no connections, and an
 * endpoint with one peer keeps its connection.
 *
 * <p>Immutable; each {@code with} method returns a changed copy. It throws {@link FabricException}
 * with {@link Errno#EINVAL} for null where a value is needed.
 */
public final class ConnectionOptions {
  /** The shortest {@link #peerTimeout}. */
  public static final Duration LEAST_PEER_TIMEOUT = Duration.ofSeconds(1);

  /** The smallest memory that is shared with a peer, each way, other than none; in bytes. */
  public static final int LEAST_SHARED_MEMORY = 1 << 12;

  /** The largest memory that is shared with a peer, each way; in bytes. */
  public static final int MOST_SHARED_MEMORY = 1 << 26;

  private static final Duration LEAST_IDLE = Duration.ofMillis(1);
  private static final ConnectionOptions DEFAULTS = new ConnectionOptions(new Values());

  private final Values values;

  private ConnectionOptions(Values values) {
    this.values = values;
  }

  private static FabricException refused(String name, Duration given, String wanted) {
    return new FabricException(Errno.EINVAL, name + " " + given + ": give " + wanted);
  }

  /** {@return the options that hold unless the application sets others} */
  public static ConnectionOptions defaults() {
    return DEFAULTS;
  }

  /** {@return how long sends wait for a connection to their peer} */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /**
   * {@return a copy with another time for connecting} The endpoint tries to reach a peer for that
   * time, counted from the first send that waits. Then all sends that wait fail, with {@link
   * Errno#ECONNREFUSED}, {@link Errno#ETIMEDOUT} or another error of the network. An endpoint with
   * one peer makes one attempt, and waits for that time for the answer.
   *
   * @param timeout more than zero; 10 seconds by default
   * @throws FabricException with {@link Errno#EINVAL} if the time is not positive
   */
  public ConnectionOptions withConnectTimeout(Duration timeout) {
    if (!Arguments.required(timeout, "connectTimeout").isPositive()) {
      throw refused("connectTimeout", timeout, "more than nothing");
    }
    return with(copy -> copy.connectTimeout = timeout);
  }

  /** {@return how long a connection may go without a sign of life from the peer} */
  public Duration peerTimeout() {
    return values.peerTimeout;
  }

  /**
   * {@return a copy with another time without a sign of life from the peer} After that time the
   * connection is lost: sends of which a part is out fail with {@link Errno#ECONNRESET}, others
   * wait for a new connection, and {@link Event.PeerLost} is reported. Peers on ofi4j give several
   * signs of life within that time, also while their application makes no progress. C programs give
   * none: a connection to one is lost when it owes an acknowledgement or the answer to a read, and
   * nothing was transferred for that time. The same holds for connections of {@link
   * ConnectedEndpoint}.
   *
   * @param timeout a second or more; 30 seconds by default
   * @throws FabricException with {@link Errno#EINVAL} if the time is shorter
   */
  public ConnectionOptions withPeerTimeout(Duration timeout) {
    if (Arguments.required(timeout, "peerTimeout").compareTo(LEAST_PEER_TIMEOUT) < 0) {
      throw refused("peerTimeout", timeout, "a second or more");
    }
    return with(copy -> copy.peerTimeout = timeout);
  }

  /** {@return the time after which idle connections are closed, null for never} */
  public @Nullable Duration idleTimeout() {
    return values.idleTimeout;
  }

  /**
   * {@return a copy that closes idle connections} A connection is idle while no message, read,
   * write or acknowledgement goes either way, and none is under way. The next send of either side
   * opens a new connection; nothing is lost or overtaken, and no event is reported. Without a
   * connection the endpoint does not notice that the peer is gone.
   *
   * <p>These connections stay open: those to C programs, which have no message for closing one;
   * those to peers to which none can be opened; and those whose early messages wait for receives.
   * Connections are closed as progress is made, within one and a half times the time as a rule.
   *
   * @param timeout a millisecond or more, or null for never, which is the default
   * @throws FabricException with {@link Errno#EINVAL} if the time is shorter
   */
  public ConnectionOptions withIdleTimeout(@Nullable Duration timeout) {
    if (timeout != null && timeout.compareTo(LEAST_IDLE) < 0) {
      throw refused("idleTimeout", timeout, "a millisecond or more");
    }
    return with(copy -> copy.idleTimeout = timeout);
  }

  /** {@return the bounds of messages that come before a receive is posted for them} */
  public EarlyMessages earlyMessages() {
    return values.earlyMessages;
  }

  /**
   * {@return a copy with other bounds for early messages} If endpoints share a receive context, the
   * one that is opened last sets for all of them how much is kept.
   *
   * @param bounds how much is kept
   */
  public ConnectionOptions withEarlyMessages(EarlyMessages bounds) {
    Arguments.required(bounds, "earlyMessages");
    return with(copy -> copy.earlyMessages = bounds);
  }

  /** {@return the endpoint's own certificate and those that it trusts, or null} */
  public @Nullable TransportSecurity security() {
    return values.security;
  }

  /**
   * {@return a copy that encrypts connections} Connections are not encrypted by default.
   *
   * @param security the endpoint's own certificate and those that it trusts. Peers need security as
   *     well: an endpoint with it and one without it do not connect. An endpoint that accepts a
   *     connection has that of the passive endpoint
   */
  public ConnectionOptions withSecurity(TransportSecurity security) {
    return with(copy -> copy.security = security);
  }

  /** {@return the bytes that are shared with a peer on the same host, each way; 0 for none} */
  public int sharedMemory() {
    return values.sharedMemory;
  }

  /**
   * {@return a copy that shares memory with peers on the same host} Two endpoints of one user on
   * one host move their connection into memory that both processes have mapped, once it is used.
   * The socket stays: it wakes a process that sleeps, and tells when the other one ends. Nothing
   * else changes but the speed. It happens if both ends run ofi4j, have this option, and see the
   * same directory of the user in {@code /dev/shm}; otherwise the connection stays in the socket.
   * {@link ConnectionStatistics#shared} says how many have moved.
   *
   * <p>Messages in memory are not encrypted, also with {@link #withSecurity}.
   *
   * @param bytes the memory for each direction of a connection, a power of two from {@link
   *     #LEAST_SHARED_MEMORY} to {@link #MOST_SHARED_MEMORY}; 0 for none, which is the default. The
   *     end that accepted the connection decides
   * @throws FabricException with {@link Errno#EINVAL} for other sizes
   */
  public ConnectionOptions withSharedMemory(int bytes) {
    if (bytes != 0
        && (bytes < LEAST_SHARED_MEMORY
            || bytes > MOST_SHARED_MEMORY
            || Integer.bitCount(bytes) != 1)) {
      throw new FabricException(
          Errno.EINVAL,
          "sharedMemory %d: give 0, or a power of two from %d to %d"
              .formatted(bytes, LEAST_SHARED_MEMORY, MOST_SHARED_MEMORY));
    }
    return with(copy -> copy.sharedMemory = bytes);
  }

  private ConnectionOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new ConnectionOptions(copy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConnectionOptions options && options.values.all().equals(values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** {@return the fields that differ from those of {@link #defaults}} */
  @Override
  public String toString() {
    return values.text("ConnectionOptions", DEFAULTS.values.all());
  }

  private static final class Values extends Fields<Values> {
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration peerTimeout = Duration.ofSeconds(30);
    private @Nullable Duration idleTimeout;
    private EarlyMessages earlyMessages = EarlyMessages.defaults();
    private @Nullable TransportSecurity security;
    private int sharedMemory;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("connectTimeout", connectTimeout);
      to.put("peerTimeout", peerTimeout);
      to.put("idleTimeout", idleTimeout);
      to.put("earlyMessages", earlyMessages);
      to.put("security", security);
      to.put("sharedMemory", sharedMemory);
    }
  }
}
