// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * An event that an event queue delivers, fi_eq(3). Events are immutable, and equal to others of
 * their class with equal values.
 */
@SuppressWarnings("SameNameButDifferent") // each class has its own Builder and Values
public sealed interface Event {
  /**
   * {@code fid}: the object that the event is about.
   *
   * @return the object; it may have been closed since
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

  /** {@code FI_AV_COMPLETE}: an asynchronous insertion has ended; all its failures came before. */
  final class InsertionComplete implements Event {
    /** {@code FI_AV_COMPLETE} as a number. */
    public static final int CODE = 5;

    private final Values values;

    private InsertionComplete(Values values) {
      this.values = values;
    }

    /**
     * Returns an event, for providers.
     *
     * @param source the address vector
     * @param context the insertion's context, or null
     * @param data how many addresses the insertion inserted
     * @return the event
     */
    public static InsertionComplete of(FabricObject source, @Nullable Object context, long data) {
      return new InsertionComplete(new Values(Arguments.required(source, "source"), context, data));
    }

    /** {@return the address vector} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    /** {@return the insertion's context, or null} */
    @Override
    public @Nullable Object context() {
      return values.context;
    }

    /** {@return how many addresses the insertion inserted} */
    @Override
    public long data() {
      return values.data;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof InsertionComplete that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("InsertionComplete");
    }

    private static final class Values extends Fields<Values> {
      private final FabricObject source;
      private final @Nullable Object context;
      private final long data;

      Values(FabricObject source, @Nullable Object context, long data) {
        this.source = source;
        this.context = context;
        this.data = data;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
        to.put("context", context);
        to.put("data", data);
      }
    }
  }

  /**
   * {@code FI_CONNREQ}: a peer wants to connect to a passive endpoint. Open an endpoint with the
   * information and {@linkplain ConnectedEndpoint#accept() accept}, or {@linkplain
   * PassiveEndpoint#reject reject}.
   */
  final class ConnectionRequest implements Event {
    /** {@code FI_CONNREQ} as a number. */
    public static final int CODE = 1;

    private final Values values;

    private ConnectionRequest(Values values) {
      this.values = values;
    }

    /**
     * Returns an event, for providers.
     *
     * @param source the passive endpoint
     * @param info what an endpoint that accepts the request is opened with
     * @param connectionData what the peer gave, which is copied
     * @return the event
     */
    public static ConnectionRequest of(
        FabricObject source, FabricInfo info, byte[] connectionData) {
      return new ConnectionRequest(
          new Values(
              Arguments.required(source, "source"),
              Arguments.required(info, "info"),
              Arguments.required(connectionData, "connectionData").clone()));
    }

    /** {@return the passive endpoint} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    /**
     * {@return what an endpoint that accepts the request is opened with: its {@linkplain
     * FabricInfo#handle handle} is the request, its {@linkplain FabricInfo#destination destination}
     * is where the connection comes from}
     */
    public FabricInfo info() {
      return values.info;
    }

    /**
     * {@return what the peer gave to {@link ConnectedEndpoint#connect(FabricAddress, byte[])}, a
     * copy}
     */
    public byte[] connectionData() {
      return values.connectionData.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ConnectionRequest that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns the passive endpoint, the address of the peer, and the data in hexadecimal. */
    @Override
    public String toString() {
      return "ConnectionRequest[source="
          + source()
          + ", peer="
          + info().destination()
          + ", connectionData="
          + HexFormat.of().formatHex(values.connectionData)
          + "]";
    }

    private static final class Values extends Fields<Values> {
      private final FabricObject source;
      private final FabricInfo info;
      private final byte[] connectionData;

      Values(FabricObject source, FabricInfo info, byte[] connectionData) {
        this.source = source;
        this.info = info;
        this.connectionData = connectionData;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
        to.put("info", info);
        to.put("connectionData", HexFormat.of().formatHex(connectionData));
      }
    }
  }

  /** {@code FI_CONNECTED}: an endpoint is connected, and can send. */
  final class Connected implements Event {
    /** {@code FI_CONNECTED} as a number. */
    public static final int CODE = 2;

    private final Values values;

    private Connected(Values values) {
      this.values = values;
    }

    /**
     * Returns an event, for providers.
     *
     * @param source the endpoint
     * @param connectionData what the peer gave, which is copied
     * @return the event
     */
    public static Connected of(FabricObject source, byte[] connectionData) {
      return new Connected(
          new Values(
              Arguments.required(source, "source"),
              Arguments.required(connectionData, "connectionData").clone()));
    }

    /** {@return the endpoint} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    /**
     * {@return what the peer gave to {@link ConnectedEndpoint#accept(byte[])}, a copy; empty on the
     * side that has accepted}
     */
    public byte[] connectionData() {
      return values.connectionData.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Connected that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values, with the data in hexadecimal. */
    @Override
    public String toString() {
      return values.text("Connected");
    }

    private static final class Values extends Fields<Values> {
      private final FabricObject source;
      private final byte[] connectionData;

      Values(FabricObject source, byte[] connectionData) {
        this.source = source;
        this.connectionData = connectionData;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
        to.put("connectionData", HexFormat.of().formatHex(connectionData));
      }
    }
  }

  /**
   * {@code FI_SHUTDOWN}: the connection of an endpoint has ended, whichever side ended it and
   * however. Comes once, and is the last event of the endpoint.
   */
  final class Shutdown implements Event {
    /** {@code FI_SHUTDOWN} as a number. */
    public static final int CODE = 3;

    private final Values values;

    private Shutdown(Values values) {
      this.values = values;
    }

    /**
     * Returns an event, for providers.
     *
     * @param source the endpoint
     * @return the event
     */
    public static Shutdown of(FabricObject source) {
      return new Shutdown(new Values(Arguments.required(source, "source")));
    }

    /** {@return the endpoint} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Shutdown that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("Shutdown");
    }

    private static final class Values extends Fields<Values> {
      private final FabricObject source;

      Values(FabricObject source) {
        this.source = source;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
      }
    }
  }

  /**
   * The connection of a reliable endpoint to a peer of its vector is lost. libfabric has no such
   * event. What was posted for the peer stays posted, receives that are directed at it too: it may
   * come back, and {@link PeerReturned} says so.
   */
  final class PeerLost implements Event {
    /** Behind the numbers of libfabric's own events. */
    public static final int CODE = 0x1_0000;

    private final Values values;

    private PeerLost(Values values) {
      this.values = values;
    }

    /**
     * Returns an event, for providers.
     *
     * @param source the endpoint
     * @param peer the peer's handle, or its user id
     * @param errno why
     * @param reason why, in words
     * @return the event
     */
    public static PeerLost of(FabricObject source, long peer, Errno errno, String reason) {
      return new PeerLost(
          new Values(
              Arguments.required(source, "source"),
              peer,
              Arguments.required(errno, "errno"),
              Arguments.required(reason, "reason")));
    }

    /** {@return the endpoint} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    /** {@return the peer as completions name it: its handle, or its user id} */
    public long peer() {
      return values.peer;
    }

    /**
     * {@return why: {@link Errno#ETIMEDOUT} if the peer gave no sign of life within the {@linkplain
     * ConnectionOptions#peerTimeout peer timeout}, {@link Errno#ECONNRESET} if the connection was
     * closed or broke}
     */
    public Errno errno() {
      return values.errno;
    }

    /** {@return why, in words} */
    public String reason() {
      return values.reason;
    }

    /** {@return the same number as {@link #peer}} */
    @Override
    public long data() {
      return values.peer;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof PeerLost that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("PeerLost");
    }

    private static final class Values extends Fields<Values> {
      private final FabricObject source;
      private final long peer;
      private final Errno errno;
      private final String reason;

      Values(FabricObject source, long peer, Errno errno, String reason) {
        this.source = source;
        this.peer = peer;
        this.errno = errno;
        this.reason = reason;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
        to.put("peer", peer);
        to.put("errno", errno);
        to.put("reason", reason);
      }
    }
  }

  /** There is a connection again to a peer that was reported as {@linkplain PeerLost lost}. */
  final class PeerReturned implements Event {
    /** Behind the numbers of libfabric's own events. */
    public static final int CODE = 0x1_0001;

    private final Values values;

    private PeerReturned(Values values) {
      this.values = values;
    }

    /**
     * Returns an event, for providers.
     *
     * @param source the endpoint
     * @param peer the peer's handle, or its user id
     * @param restarted whether it is another life of the peer
     * @return the event
     */
    public static PeerReturned of(FabricObject source, long peer, boolean restarted) {
      return new PeerReturned(new Values(Arguments.required(source, "source"), peer, restarted));
    }

    /** {@return the endpoint} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    /** {@return the peer as completions name it: its handle, or its user id} */
    public long peer() {
      return values.peer;
    }

    /**
     * {@return whether it is another life of the peer, which knows nothing of what it was sent
     * before}
     */
    public boolean restarted() {
      return values.restarted;
    }

    /** {@return the same number as {@link #peer}} */
    @Override
    public long data() {
      return values.peer;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof PeerReturned that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("PeerReturned");
    }

    private static final class Values extends Fields<Values> {
      private final FabricObject source;
      private final long peer;
      private final boolean restarted;

      Values(FabricObject source, long peer, boolean restarted) {
        this.source = source;
        this.peer = peer;
        this.restarted = restarted;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
        to.put("peer", peer);
        to.put("restarted", restarted);
      }
    }
  }

  /**
   * {@code struct fi_eq_err_entry}: something failed, for an insertion one address, for an endpoint
   * its attempt to connect.
   */
  final class Failure implements Event {
    private static final byte[] NONE = {};

    private final Values values;

    private Failure(Values values) {
      this.values = values.copy();
    }

    /**
     * Begins a failure, for providers. It has no context, data 0, 0 as the provider's number and no
     * error data, unless the builder is given others.
     *
     * @param source the object
     * @param errno why
     * @param reason why, in words
     * @return what builds the failure
     */
    public static Builder of(FabricObject source, Errno errno, String reason) {
      return new Builder(
          new Values(
              Arguments.required(source, "source"),
              Arguments.required(errno, "errno"),
              Arguments.required(reason, "reason")));
    }

    /** {@return a builder of a copy, with the values of this object} */
    public Builder toBuilder() {
      return new Builder(values.copy());
    }

    /** {@return the object: for an insertion the address vector, else the endpoint} */
    @Override
    public FabricObject source() {
      return values.source;
    }

    /** {@return the operation's context, or null} */
    @Override
    public @Nullable Object context() {
      return values.context;
    }

    /** {@return for an insertion the address's position within its call, from 0} */
    @Override
    public long data() {
      return values.data;
    }

    /** {@return why} */
    public Errno errno() {
      return values.errno;
    }

    /** {@return {@code prov_errno}: a number of the provider's own} */
    public int providerErrno() {
      return values.providerErrno;
    }

    /** {@return why, in words} */
    public String reason() {
      return values.reason;
    }

    /**
     * {@return {@code err_data}: for {@link Errno#ECONNREFUSED} what the peer gave to {@link
     * PassiveEndpoint#reject}, a copy}
     */
    public byte[] errorData() {
      return values.errorData.clone();
    }

    /**
     * What the man page also calls {@link #data}: which address of the call failed.
     *
     * @return the position, from 0
     */
    public long index() {
      return data();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Failure that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values, with the error data in hexadecimal. */
    @Override
    public String toString() {
      return values.text("Failure");
    }

    /** Builds a failure. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link Failure#context}.
       *
       * @param context the context, or null
       * @return this
       */
      public Builder context(@Nullable Object context) {
        values.context = context;
        return this;
      }

      /**
       * Sets {@link Failure#data}.
       *
       * @param data the position
       * @return this
       */
      public Builder data(long data) {
        values.data = data;
        return this;
      }

      /**
       * Sets {@link Failure#providerErrno}.
       *
       * @param providerErrno the number
       * @return this
       */
      public Builder providerErrno(int providerErrno) {
        values.providerErrno = providerErrno;
        return this;
      }

      /**
       * Sets {@link Failure#errorData}.
       *
       * @param errorData the bytes, which are copied
       * @return this
       */
      public Builder errorData(byte[] errorData) {
        values.errorData = Arguments.required(errorData, "errorData").clone();
        return this;
      }

      /** {@return a failure with the values that were set; the builder may build more} */
      public Failure build() {
        return new Failure(values);
      }

      /** Returns a failure with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      final FabricObject source;
      @Nullable Object context;
      long data;
      final Errno errno;
      int providerErrno;
      final String reason;
      byte[] errorData = NONE;

      Values(FabricObject source, Errno errno, String reason) {
        this.source = source;
        this.errno = errno;
        this.reason = reason;
      }

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("source", source);
        to.put("context", context);
        to.put("data", data);
        to.put("errno", errno + " (" + errno.number() + ")");
        to.put("providerErrno", providerErrno);
        to.put("reason", reason);
        to.put("errorData", HexFormat.of().formatHex(errorData));
      }
    }
  }
}
