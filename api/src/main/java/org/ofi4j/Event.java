// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an event queue delivers, fi_eq(3). */
public sealed interface Event {
  /**
   * {@code fid}: the object that the event is about.
   *
   * @return the object; it may have been closed meanwhile
   */
  FabricObject source();

  /**
   * {@code context} of the call that the event belongs to.
   *
   * @return the context, or null when none was given, or the event belongs to no call
   */
  default @Nullable Object context() {
    return null;
  }

  /**
   * {@code data}.
   *
   * @return a number whose meaning depends on the event; 0 if the event has none
   */
  default long data() {
    return 0;
  }

  /**
   * {@code FI_AV_COMPLETE}: an asynchronous insertion has ended; all its failures came before.
   *
   * @param source the address vector
   * @param context the insertion's context
   * @param data how many addresses it inserted
   */
  record InsertionComplete(FabricObject source, @Nullable Object context, long data)
      implements Event {
    /** {@code FI_AV_COMPLETE} as a number. */
    public static final int CODE = 5;
  }

  /**
   * {@code FI_CONNREQ}: a peer wants to connect to a passive endpoint. Open an endpoint with the
   * information and {@linkplain ConnectedEndpoint#accept() accept}, or {@linkplain
   * PassiveEndpoint#reject reject}.
   *
   * @param source the passive endpoint
   * @param info what an endpoint that accepts the request is opened with: its {@linkplain
   *     FabricInfo#handle handle} is the request, its {@linkplain FabricInfo#destination
   *     destination} is where the connection comes from
   * @param connectionData what the peer gave to {@link ConnectedEndpoint#connect(FabricAddress,
   *     byte[])}
   */
  record ConnectionRequest(FabricObject source, FabricInfo info, byte[] connectionData)
      implements Event {
    /** {@code FI_CONNREQ} as a number. */
    public static final int CODE = 1;

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ConnectionRequest request
          && source.equals(request.source)
          && info.equals(request.info)
          && Arrays.equals(connectionData, request.connectionData);
    }

    @Override
    public int hashCode() {
      return Objects.hash(source, info, Arrays.hashCode(connectionData));
    }

    /** The passive endpoint, the address of the peer, and the data in hexadecimal. */
    @Override
    public String toString() {
      return "ConnectionRequest[source="
          + source
          + (", peer=" + info.destination())
          + (", connectionData=" + HexFormat.of().formatHex(connectionData) + "]");
    }
  }

  /**
   * {@code FI_CONNECTED}: an endpoint is connected, and can send.
   *
   * @param source the endpoint
   * @param connectionData what the peer gave to {@link ConnectedEndpoint#accept(byte[])}; empty on
   *     the side that has accepted
   */
  record Connected(FabricObject source, byte[] connectionData) implements Event {
    /** {@code FI_CONNECTED} as a number. */
    public static final int CODE = 2;

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Connected connected
          && source.equals(connected.source)
          && Arrays.equals(connectionData, connected.connectionData);
    }

    @Override
    public int hashCode() {
      return Objects.hash(source, Arrays.hashCode(connectionData));
    }

    /** The endpoint, and the data in hexadecimal. */
    @Override
    public String toString() {
      return "Connected[source="
          + source
          + (", connectionData=" + HexFormat.of().formatHex(connectionData) + "]");
    }
  }

  /**
   * {@code FI_SHUTDOWN}: the connection of an endpoint has ended, whichever side ended it and
   * however. Comes once, and is the last event of the endpoint.
   *
   * @param source the endpoint
   */
  record Shutdown(FabricObject source) implements Event {
    /** {@code FI_SHUTDOWN} as a number. */
    public static final int CODE = 3;
  }

  /**
   * The connection of a reliable endpoint to a peer of its vector is lost. libfabric has no such
   * event. What was posted for the peer stays posted, receives that are directed at it too: it may
   * come back, and {@link PeerReturned} says so.
   *
   * @param source the endpoint
   * @param peer the peer as completions name it: its handle, or its user id
   * @param errno why: {@link Errno#ETIMEDOUT} if it gave no sign of life within the {@linkplain
   *     ConnectionOptions#peerTimeout peer timeout}, {@link Errno#ECONNRESET} if the connection was
   *     closed or broke
   * @param reason why, in words
   */
  record PeerLost(FabricObject source, long peer, Errno errno, String reason) implements Event {
    /** Behind the numbers of libfabric's own events. */
    public static final int CODE = 0x1_0000;

    /** The same as {@link #peer}. */
    @Override
    public long data() {
      return peer;
    }
  }

  /**
   * There is a connection again to a peer that was reported as {@linkplain PeerLost lost}.
   *
   * @param source the endpoint
   * @param peer the peer as completions name it: its handle, or its user id
   * @param restarted whether it is another life of the peer, which knows nothing of what it was
   *     sent before
   */
  record PeerReturned(FabricObject source, long peer, boolean restarted) implements Event {
    /** Behind the numbers of libfabric's own events. */
    public static final int CODE = 0x1_0001;

    /** The same as {@link #peer}. */
    @Override
    public long data() {
      return peer;
    }
  }

  /**
   * {@code struct fi_eq_err_entry}: something failed, for an insertion one address, for an endpoint
   * its attempt to connect.
   *
   * @param source the object: for an insertion the address vector, else the endpoint
   * @param context the operation's context
   * @param data for an insertion the address's position within its call, from 0
   * @param errno why
   * @param providerErrno {@code prov_errno}: a number of the provider's own
   * @param reason why, in words
   * @param errorData {@code err_data}: for {@link Errno#ECONNREFUSED} what the peer gave to {@link
   *     PassiveEndpoint#reject}
   */
  record Failure(
      FabricObject source,
      @Nullable Object context,
      long data,
      Errno errno,
      int providerErrno,
      String reason,
      byte[] errorData)
      implements Event {
    private static final byte[] NONE = {};

    /**
     * A failure of which there is no more to say.
     *
     * @param source the object
     * @param context the operation's context
     * @param data for an insertion the address's position within its call, from 0
     * @param errno why
     * @param providerErrno a number of the provider's own
     * @param reason why, in words
     */
    public Failure(
        FabricObject source,
        @Nullable Object context,
        long data,
        Errno errno,
        int providerErrno,
        String reason) {
      this(source, context, data, errno, providerErrno, reason, NONE);
    }

    /**
     * What the man page also calls {@link #data}: which address of the call failed.
     *
     * @return the position, from 0
     */
    public long index() {
      return data;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Failure failure
          && source.equals(failure.source)
          && Objects.equals(context, failure.context)
          && data == failure.data
          && errno == failure.errno
          && providerErrno == failure.providerErrno
          && reason.equals(failure.reason)
          && Arrays.equals(errorData, failure.errorData);
    }

    @Override
    public int hashCode() {
      return Objects.hash(source, context, data, errno, reason, Arrays.hashCode(errorData));
    }

    /** All that there is to say, with the error data in hexadecimal. */
    @Override
    public String toString() {
      return "Failure[source="
          + source
          + (", context=" + context + ", data=" + data)
          + (", errno=" + errno + " (" + errno.number() + "), providerErrno=" + providerErrno)
          + (", reason=" + reason + ", errorData=" + HexFormat.of().formatHex(errorData) + "]");
    }
  }
}
