// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

/** Costs of messages, each of which is measured in a stage of its own. */
public enum Cost {
  /** The processor time of a fresh JVM to its first message. */
  FIRST_MESSAGE,
  /** {@link #FIRST_MESSAGE} of a JVM that has an ahead-of-time cache. */
  FIRST_MESSAGE_CACHED,
  /** A round trip early in the life of a JVM, and a later one. */
  WARM_UP,
  /** The first round trips of the programs {@code ofi4j pingpong} and {@code fi_pingpong}. */
  FIRST_ROUND_TRIPS,
  /** The processor time of a streamed message. */
  STREAM,
  /** The memory and the processor time of a server with many connections. */
  CONNECTIONS,
  /** The processor time of a message to oneself, over a provider other than tcp. */
  TO_ITSELF;

  /** Whether this cost can be measured of a contestant over a provider. */
  boolean isOf(Contestant contestant, String provider) {
    boolean overTcp = provider.equals(MessagingOptions.TCP);
    return overTcp == (this != TO_ITSELF)
        && switch (this) {
          case FIRST_MESSAGE, STREAM -> true;
          case FIRST_MESSAGE_CACHED, WARM_UP -> contestant != Contestant.LIBFABRIC;
          // Both programs poll.
          case FIRST_ROUND_TRIPS ->
              contestant == Contestant.OFI4J || contestant == Contestant.LIBFABRIC;
          case CONNECTIONS -> contestant.hasCrowd();
          case TO_ITSELF -> contestant.canAnnounce();
        };
  }
}
