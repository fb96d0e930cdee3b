// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * What a {@link PassiveEndpoint} is opened with: {@code fi_pep_bind}, {@code fi_setname} and {@code
 * fi_control}.
 *
 * @param events where requests are reported, of the same fabric; an endpoint must have one
 * @param address where to listen, in place of the source of its information, an address of this
 *     host; port 0 is any
 * @param backlog {@code FI_BACKLOG}: how many requests may be waiting for an answer, on their way
 *     to the event queue, in it, or taken from it, 1 to 65,536. Further ones are refused at once,
 *     or older ones of a host that has many. 1,024 by default
 * @param answerTimeout how long a request may wait for an answer, more than nothing; the longest
 *     there is stands for ever. After that it is refused, and rejecting it does nothing. One minute
 *     by default
 * @param security who we are and whom we trust, if connections are encrypted; null if not
 * @param context what {@link FabricObject#context} says
 */
public record PassiveOptions(
    @Nullable EventQueue events,
    @Nullable FabricAddress address,
    int backlog,
    Duration answerTimeout,
    @Nullable TransportSecurity security,
    @Nullable Object context) {
  private static final int MOST = 1 << 16;
  private static final PassiveOptions NONE =
      new PassiveOptions(null, null, 1024, Duration.ofMinutes(1), null, null);

  /** Checks the numbers, with {@link Errno#EINVAL}. */
  public PassiveOptions {
    Arguments.required(answerTimeout, "answerTimeout");
    if (backlog < 1 || backlog > MOST) {
      throw new FabricException(
          Errno.EINVAL, "backlog " + backlog + ": give 1 to " + MOST + " requests");
    }
    if (!answerTimeout.isPositive()) {
      throw new FabricException(
          Errno.EINVAL, "answerTimeout " + answerTimeout + ": give more than nothing");
    }
  }

  /** {@return options that say nothing} */
  public static PassiveOptions none() {
    return NONE;
  }

  /**
   * {@return options with an event queue}
   *
   * @param events where requests are reported
   */
  public static PassiveOptions of(EventQueue events) {
    Arguments.required(events, "events");
    return new PassiveOptions(events, null, NONE.backlog, NONE.answerTimeout, null, null);
  }

  /**
   * {@return a copy with another address}
   *
   * @param own where to listen
   */
  public PassiveOptions withAddress(FabricAddress own) {
    Arguments.required(own, "address");
    return new PassiveOptions(events, own, backlog, answerTimeout, security, context);
  }

  /**
   * {@return a copy with another number of requests that wait}
   *
   * @param requests 1 to 65,536
   */
  public PassiveOptions withBacklog(int requests) {
    return new PassiveOptions(events, address, requests, answerTimeout, security, context);
  }

  /**
   * {@return a copy with another time for an answer}
   *
   * @param timeout more than nothing
   */
  public PassiveOptions withAnswerTimeout(Duration timeout) {
    return new PassiveOptions(events, address, backlog, timeout, security, context);
  }

  /**
   * {@return a copy that encrypts connections}
   *
   * @param tls who we are, and whom we trust
   */
  public PassiveOptions withSecurity(TransportSecurity tls) {
    return new PassiveOptions(events, address, backlog, answerTimeout, tls, context);
  }

  /**
   * {@return a copy with another context}
   *
   * @param value any object
   */
  public PassiveOptions withContext(@Nullable Object value) {
    return new PassiveOptions(events, address, backlog, answerTimeout, security, value);
  }
}
