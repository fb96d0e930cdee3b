// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;

/**
 * Two sides in one JVM that exchange messages of one length: the tcp endpoint of this library, or a
 * yardstick for it. One thread asks; each carrier has another one that answers.
 */
interface Carrier extends AutoCloseable {
  /** Sends messages one way; returns when the other side has all of them and said so. */
  void stream(int messages) throws IOException, InterruptedException;

  /** Sends messages to and fro, one at a time. */
  default void roundTrips(int count) throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      stream(1);
    }
  }

  @Override
  void close() throws IOException;

  /** The carriers that are compared. */
  enum Kind {
    /** {@link EndpointCarrier}. */
    OFI4J {
      @Override
      Carrier open(int bytes) {
        return new EndpointCarrier(bytes);
      }
    },
    /** {@link ChannelCarrier}. */
    CHANNEL {
      @Override
      Carrier open(int bytes) throws IOException {
        return new ChannelCarrier(bytes);
      }
    },
    /** {@link NettyCarrier}. */
    NETTY {
      @Override
      Carrier open(int bytes) throws InterruptedException {
        return new NettyCarrier(bytes);
      }
    },
    /** {@link AeronCarrier}; the JVM needs {@link AeronCarrier#OPTION}. */
    AERON {
      @Override
      Carrier open(int bytes) {
        return new AeronCarrier(bytes);
      }
    };

    /** Connects two sides. */
    abstract Carrier open(int bytes) throws IOException, InterruptedException;
  }
}
