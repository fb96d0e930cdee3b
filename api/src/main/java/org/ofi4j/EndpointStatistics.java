// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * What an endpoint, or a context of a {@link ScalableEndpoint}, has done since it was opened:
 * {@link Endpoint#statistics}. An operation is counted before its completion can be read.
 * Immutable, and equal to another one with equal values.
 */
@SuppressWarnings("SameNameButDifferent") // each class has its own Builder and Values
public final class EndpointStatistics {
  private final Values values;

  private EndpointStatistics(Values values) {
    this.values = values.copy();
  }

  /** {@return a builder of statistics, for providers; all 0} */
  public static Builder builder() {
    return new Builder(new Values());
  }

  /** {@return messages that were sent} */
  public Operations sends() {
    return values.sends;
  }

  /**
   * {@return messages that were received, into a shared receive context by the endpoint that they
   * came to; a receive that was cancelled counts as failed}
   */
  public Operations receives() {
    return values.receives;
  }

  /** {@return reads of the memory of peers} */
  public Operations reads() {
    return values.reads;
  }

  /** {@return writes to the memory of peers} */
  public Operations writes() {
    return values.writes;
  }

  /** {@return reads of own memory by peers; of a scalable endpoint in its receive context 0} */
  public Operations remoteReads() {
    return values.remoteReads;
  }

  /**
   * {@return writes to own memory by peers; of a scalable endpoint in the receive context that the
   * peer names}
   */
  public Operations remoteWrites() {
    return values.remoteWrites;
  }

  /**
   * {@return sends, reads and writes that were posted and not reported: they are under way, or wait
   * for a connection or for room in the completion queue}
   */
  public long outstandingTransmits() {
    return values.outstandingTransmits;
  }

  /**
   * {@return receives that were posted and not reported; those of a shared receive context are of
   * no endpoint}
   */
  public long outstandingReceives() {
    return values.outstandingReceives;
  }

  /**
   * {@return what became of its connections; all 0 for datagrams, which need none, and for
   * contexts: see {@link ScalableEndpoint#statistics}}
   */
  public ConnectionStatistics connections() {
    return values.connections;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EndpointStatistics that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("EndpointStatistics");
  }

  /**
   * Operations of one kind that have ended. Immutable, and equal to another one with equal values.
   */
  public static final class Operations {
    private static final Operations NONE = builder().build();

    private final Values values;

    private Operations(Values values) {
      this.values = values.copy();
    }

    /** {@return a builder of numbers of operations, for providers; all 0} */
    public static Builder builder() {
      return new Builder(new Values());
    }

    /** {@return how many succeeded} */
    public long succeeded() {
      return values.succeeded;
    }

    /**
     * {@return how many failed, those too of which a part was carried out: a message that was
     * longer than its buffer, or came from a sender that is not known}
     */
    public long failed() {
      return values.failed;
    }

    /** {@return the bytes of messages or memory that the successful ones moved} */
    public long bytes() {
      return values.bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Operations that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("Operations");
    }

    /** Builds numbers of operations. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link Operations#succeeded}.
       *
       * @param succeeded the number
       * @return this
       */
      public Builder succeeded(long succeeded) {
        values.succeeded = succeeded;
        return this;
      }

      /**
       * Sets {@link Operations#failed}.
       *
       * @param failed the number
       * @return this
       */
      public Builder failed(long failed) {
        values.failed = failed;
        return this;
      }

      /**
       * Sets {@link Operations#bytes}.
       *
       * @param bytes the bytes
       * @return this
       */
      public Builder bytes(long bytes) {
        values.bytes = bytes;
        return this;
      }

      /**
       * {@return numbers of operations with the values that were set; the builder may build more}
       */
      public Operations build() {
        return new Operations(values);
      }

      /** Returns numbers of operations with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      long succeeded;
      long failed;
      long bytes;

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("succeeded", succeeded);
        to.put("failed", failed);
        to.put("bytes", bytes);
      }
    }
  }

  /** Builds statistics of an endpoint. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link EndpointStatistics#sends}.
     *
     * @param sends the operations
     * @return this
     */
    public Builder sends(Operations sends) {
      values.sends = Arguments.required(sends, "sends");
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#receives}.
     *
     * @param receives the operations
     * @return this
     */
    public Builder receives(Operations receives) {
      values.receives = Arguments.required(receives, "receives");
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#reads}.
     *
     * @param reads the operations
     * @return this
     */
    public Builder reads(Operations reads) {
      values.reads = Arguments.required(reads, "reads");
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#writes}.
     *
     * @param writes the operations
     * @return this
     */
    public Builder writes(Operations writes) {
      values.writes = Arguments.required(writes, "writes");
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#remoteReads}.
     *
     * @param remoteReads the operations
     * @return this
     */
    public Builder remoteReads(Operations remoteReads) {
      values.remoteReads = Arguments.required(remoteReads, "remoteReads");
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#remoteWrites}.
     *
     * @param remoteWrites the operations
     * @return this
     */
    public Builder remoteWrites(Operations remoteWrites) {
      values.remoteWrites = Arguments.required(remoteWrites, "remoteWrites");
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#outstandingTransmits}.
     *
     * @param outstandingTransmits the number
     * @return this
     */
    public Builder outstandingTransmits(long outstandingTransmits) {
      values.outstandingTransmits = outstandingTransmits;
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#outstandingReceives}.
     *
     * @param outstandingReceives the number
     * @return this
     */
    public Builder outstandingReceives(long outstandingReceives) {
      values.outstandingReceives = outstandingReceives;
      return this;
    }

    /**
     * Sets {@link EndpointStatistics#connections}.
     *
     * @param connections the connections
     * @return this
     */
    public Builder connections(ConnectionStatistics connections) {
      values.connections = Arguments.required(connections, "connections");
      return this;
    }

    /**
     * {@return statistics of an endpoint with the values that were set; the builder may build more}
     */
    public EndpointStatistics build() {
      return new EndpointStatistics(values);
    }

    /** Returns statistics of an endpoint with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    Operations sends = Operations.NONE;
    Operations receives = Operations.NONE;
    Operations reads = Operations.NONE;
    Operations writes = Operations.NONE;
    Operations remoteReads = Operations.NONE;
    Operations remoteWrites = Operations.NONE;
    long outstandingTransmits;
    long outstandingReceives;
    ConnectionStatistics connections = ConnectionStatistics.none();

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("sends", sends);
      to.put("receives", receives);
      to.put("reads", reads);
      to.put("writes", writes);
      to.put("remoteReads", remoteReads);
      to.put("remoteWrites", remoteWrites);
      to.put("outstandingTransmits", outstandingTransmits);
      to.put("outstandingReceives", outstandingReceives);
      to.put("connections", connections);
    }
  }
}
