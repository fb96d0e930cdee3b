// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * The event queue, the address and the limits of a {@link PassiveEndpoint}: {@code fi_pep_bind},
 * {@code fi_setname} and {@code fi_control}. Immutable; each {@code with} method returns a changed
 * copy. It throws {@link FabricException} with {@link Errno#EINVAL} for null where a value is
 * needed.
 */
public final class PassiveOptions {
  private static final int MAX_BACKLOG = 1 << 16;
  private static final PassiveOptions NONE = new PassiveOptions(new Values());

  private final Values values;

  private PassiveOptions(Values values) {
    this.values = values;
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
    return NONE.withEvents(events);
  }

  /** {@return the queue that requests are reported to, or null} */
  public @Nullable EventQueue events() {
    return values.events;
  }

  /**
   * {@return a copy with another event queue}
   *
   * @param events where requests are reported, of the same fabric; an endpoint must have one
   */
  public PassiveOptions withEvents(EventQueue events) {
    Arguments.required(events, "events");
    return with(copy -> copy.events = events);
  }

  /** {@return the address to listen at, null for the source of its information} */
  public @Nullable FabricAddress address() {
    return values.address;
  }

  /**
   * {@return a copy with another address}
   *
   * @param address the address to listen at, in place of the source of its information: an address
   *     of this host; port 0 is any
   */
  public PassiveOptions withAddress(FabricAddress address) {
    Arguments.required(address, "address");
    return with(copy -> copy.address = address);
  }

  /** {@return how many requests may wait for an answer} */
  public int backlog() {
    return values.backlog;
  }

  /**
   * {@return a copy with another {@code FI_BACKLOG}} Further requests are refused at once, or older
   * ones of a host that has many.
   *
   * @param requests how many may wait for an answer, on their way to the event queue, in it, or
   *     taken from it, 1 to 65,536; 1,024 by default
   * @throws FabricException with {@link Errno#EINVAL} if the number is out of range
   */
  public PassiveOptions withBacklog(int requests) {
    if (requests < 1 || requests > MAX_BACKLOG) {
      throw new FabricException(
          Errno.EINVAL, "backlog " + requests + ": give 1 to " + MAX_BACKLOG + " requests");
    }
    return with(copy -> copy.backlog = requests);
  }

  /** {@return how long a request may wait for an answer} */
  public Duration answerTimeout() {
    return values.answerTimeout;
  }

  /**
   * {@return a copy with another time for an answer} After that time a request is refused, and
   * rejecting it does nothing.
   *
   * @param timeout more than zero; the longest duration that there is waits indefinitely. One
   *     minute by default
   * @throws FabricException with {@link Errno#EINVAL} if the time is not positive
   */
  public PassiveOptions withAnswerTimeout(Duration timeout) {
    if (!Arguments.required(timeout, "answerTimeout").isPositive()) {
      throw new FabricException(
          Errno.EINVAL, "answerTimeout " + timeout + ": give more than nothing");
    }
    return with(copy -> copy.answerTimeout = timeout);
  }

  /** {@return the endpoint's own certificate and those that it trusts, or null} */
  public @Nullable TransportSecurity security() {
    return values.security;
  }

  /**
   * {@return a copy that encrypts connections} Connections are not encrypted by default.
   *
   * @param security the endpoint's own certificate and those that it trusts
   */
  public PassiveOptions withSecurity(TransportSecurity security) {
    return with(copy -> copy.security = security);
  }

  /** {@return the endpoint's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public PassiveOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private PassiveOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new PassiveOptions(copy);
  }

  /** {@return the fields that differ from those of {@link #none}} */
  @Override
  public String toString() {
    return values.text("PassiveOptions", NONE.values.all());
  }

  private static final class Values extends Fields<Values> {
    private @Nullable EventQueue events;
    private @Nullable FabricAddress address;
    private int backlog = 1024;
    private Duration answerTimeout = Duration.ofMinutes(1);
    private @Nullable TransportSecurity security;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("events", events);
      to.put("address", address);
      to.put("backlog", backlog);
      to.put("answerTimeout", answerTimeout);
      to.put("security", security);
      to.put("context", context);
    }
  }
}
