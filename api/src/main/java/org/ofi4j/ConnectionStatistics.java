// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * What became of the connections of an endpoint over TCP since it was opened: {@link
 * EndpointStatistics#connections}, {@link ScalableEndpoint#statistics}. An endpoint that sends to
 * itself has both ends of that connection. Immutable, and equal to another one with equal values.
 */
public final class ConnectionStatistics {
  private static final ConnectionStatistics NONE = builder().build();

  private final Values values;

  private ConnectionStatistics(Values values) {
    this.values = values.copy();
  }

  /** {@return the statistics of what has no connections: all 0} */
  public static ConnectionStatistics none() {
    return NONE;
  }

  /** {@return a builder of statistics, for providers; all 0} */
  public static Builder builder() {
    return new Builder(new Values());
  }

  /** {@return how many are open now} */
  public long open() {
    return values.open;
  }

  /** {@return how many this endpoint has opened} */
  public long made() {
    return values.made;
  }

  /** {@return how many peers have opened} */
  public long accepted() {
    return values.accepted;
  }

  /**
   * {@return attempts of this endpoint that ended without a connection, each one of a row; those
   * too that a peer refuses because it connects itself at that moment}
   */
  public long failed() {
    return values.failed;
  }

  /**
   * {@return open connections that ended, and not because this endpoint ended them or both sides
   * had no need of them: the peer or the network did}
   */
  public long lost() {
    return values.lost;
  }

  /**
   * {@return connections that were closed because the peer broke the protocol, or did not prove
   * that it has the authorization key}
   */
  public long rejected() {
    return values.rejected;
  }

  /**
   * {@return how many of the open ones go through memory that is shared with a peer on this host};
   * see {@link ConnectionOptions#withSharedMemory}
   */
  public long shared() {
    return values.shared;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConnectionStatistics that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("ConnectionStatistics");
  }

  /** Builds statistics of connections. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link ConnectionStatistics#open}.
     *
     * @param open the number
     * @return this
     */
    public Builder open(long open) {
      values.open = open;
      return this;
    }

    /**
     * Sets {@link ConnectionStatistics#made}.
     *
     * @param made the number
     * @return this
     */
    public Builder made(long made) {
      values.made = made;
      return this;
    }

    /**
     * Sets {@link ConnectionStatistics#accepted}.
     *
     * @param accepted the number
     * @return this
     */
    public Builder accepted(long accepted) {
      values.accepted = accepted;
      return this;
    }

    /**
     * Sets {@link ConnectionStatistics#failed}.
     *
     * @param failed the number
     * @return this
     */
    public Builder failed(long failed) {
      values.failed = failed;
      return this;
    }

    /**
     * Sets {@link ConnectionStatistics#lost}.
     *
     * @param lost the number
     * @return this
     */
    public Builder lost(long lost) {
      values.lost = lost;
      return this;
    }

    /**
     * Sets {@link ConnectionStatistics#rejected}.
     *
     * @param rejected the number
     * @return this
     */
    public Builder rejected(long rejected) {
      values.rejected = rejected;
      return this;
    }

    /**
     * Sets {@link ConnectionStatistics#shared}.
     *
     * @param shared the number
     * @return this
     */
    public Builder shared(long shared) {
      values.shared = shared;
      return this;
    }

    /**
     * {@return statistics of connections with the values that were set; the builder may build more}
     */
    public ConnectionStatistics build() {
      return new ConnectionStatistics(values);
    }

    /** Returns statistics of connections with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    long open;
    long made;
    long accepted;
    long failed;
    long lost;
    long rejected;
    long shared;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("open", open);
      to.put("made", made);
      to.put("accepted", accepted);
      to.put("failed", failed);
      to.put("lost", lost);
      to.put("rejected", rejected);
      to.put("shared", shared);
    }
  }
}
