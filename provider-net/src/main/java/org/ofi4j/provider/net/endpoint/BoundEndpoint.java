// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Counter;
import org.ofi4j.CounterBinding;
import org.ofi4j.CounterFlag;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Flag;
import org.ofi4j.QueueBinding;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.CoreCounter;

/**
 * From opening to enabling of an endpoint, which is the same whatever it speaks: what is bound to
 * it, and what must be; and what every transfer asks first. Binding, enabling and closing take the
 * monitor of the object; transfers read what {@link #enable} left behind and take no part in that.
 *
 * @param <T> what the endpoint is from being enabled until it is closed
 */
public abstract class BoundEndpoint<T extends Traffic> extends CoreObject implements Endpoint {
  private static final long BIND_FLAGS = Flag.maskOf(BindFlag.values());
  private static final long COUNTER_FLAGS = Flag.maskOf(CounterFlag.values());
  private static final long COUNTED_SENDS =
      Flag.maskOf(CounterFlag.SEND, CounterFlag.WRITE, CounterFlag.READ);
  private static final long COUNTED_RECEIVES = CounterFlag.RECEIVE.mask();
  private static final long DIRECTIONS = Flag.maskOf(BindFlag.TRANSMIT, BindFlag.RECEIVE);

  private final EndpointDomain domain;
  private volatile FabricInfo info;

  // What is bound; guarded by the monitor of this object, as enabling and closing are.
  private @Nullable CoreAddressVector vector;
  private @Nullable Binding transmit;
  private @Nullable Binding receive;
  private final Counters counters = new Counters();

  // Written once, with everything bound; transfers read it without a lock.
  private volatile @Nullable T enabled;

  protected BoundEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.info = info;
    lifetime.hold(domain.lifetime());
  }

  /**
   * Binds what options say to an endpoint, and opens it for traffic.
   *
   * @return the endpoint; it is closed if anything is refused
   */
  public static <E extends BoundEndpoint<?>> E opened(E endpoint, EndpointOptions options) {
    return opened(endpoint, () -> endpoint.bind(required(options, "options")));
  }

  /** Binds something to an endpoint, and opens it for traffic. */
  protected static <E extends BoundEndpoint<?>> E opened(E endpoint, Runnable bound) {
    try {
      bound.run();
      endpoint.enable();
      return endpoint;
    } catch (RuntimeException | Error refused) {
      endpoint.close();
      throw refused;
    }
  }

  /** Binds what options say. */
  protected void bind(EndpointOptions options) {
    if (options.vector() != null) {
      bind(options.vector());
    }
    bind(options.transmit(), BindFlag.TRANSMIT);
    bind(options.receive(), BindFlag.RECEIVE);
    bind(options.counters());
    if (options.address() != null) {
      name(options.address());
    }
    if (options.sharedReceives() != null) {
      bind(options.sharedReceives());
    }
    if (options.events() != null) {
      bind(options.events());
    }
  }

  /** Binds a queue to one direction, if there is one. */
  protected final void bind(@Nullable QueueBinding bound, BindFlag direction) {
    if (bound != null) {
      long selective = bound.selective() ? BindFlag.SELECTIVE_COMPLETION.mask() : 0;
      bind(bound.queue(), direction.mask() | selective);
    }
  }

  protected final void bind(List<CounterBinding> bound) {
    bound.forEach(each -> bind(each.counter(), each.flags()));
  }

  /**
   * Opens the endpoint for traffic, with all that is bound to it.
   *
   * @param transmit what sends are reported to, or null if the endpoint only receives
   * @param receive what receives are reported to, or null if the endpoint only sends
   * @throws FabricException if that is not possible; nothing is left behind then
   */
  protected abstract T open(@Nullable Binding transmit, @Nullable Binding receive);

  @Override
  public final EndpointDomain domain() {
    return domain;
  }

  @Override
  public final FabricInfo info() {
    return info;
  }

  @Override
  public final synchronized void bind(AddressVector boundVector, long flags) {
    lifetime.checkOpen();
    required(boundVector, "vector");
    checkHasVector(boundVector);
    if (flags != 0) {
      throw badFlags(flags, " for binding an address vector: must be 0");
    }
    checkBindable(boundVector.domain(), boundVector);
    if (vector != null) {
      throw invalid(this + " is bound to " + vector + " already, and has one address vector only");
    }
    if (!(boundVector instanceof CoreAddressVector own)) {
      throw foreign(boundVector);
    }
    lifetime.hold(own.lifetime());
    vector = own;
  }

  /** Refuses to bind a vector if the endpoint cannot have one of its own. */
  protected void checkHasVector(AddressVector wanted) {}

  @Override
  public void bind(SharedReceiveContext context) {
    throw unsupported(this + " cannot share its receives: endpoints of provider tcp can");
  }

  @Override
  public final synchronized void bind(CompletionQueue queue, long flags) {
    lifetime.checkOpen();
    required(queue, "queue");
    if ((flags & ~BIND_FLAGS) != 0 || (flags & DIRECTIONS) == 0) {
      throw badFlags(
          flags,
          " for binding a completion queue: give TRANSMIT, RECEIVE or both, and"
              + " SELECTIVE_COMPLETION if wanted");
    }
    checkBindable(queue.domain(), queue);
    boolean sends = (flags & BindFlag.TRANSMIT.mask()) != 0;
    boolean receives = (flags & BindFlag.RECEIVE.mask()) != 0;
    if ((sends && transmit != null) || (receives && receive != null)) {
      throw invalid(
          "%s has a completion queue for %s already"
              .formatted(this, sends && transmit != null ? "sends" : "receives"));
    }
    if (!(queue instanceof CoreCompletionQueue own)) {
      throw foreign(queue);
    }
    lifetime.hold(own.lifetime());
    Binding binding = new Binding(own, flags, counters);
    transmit = sends ? binding : transmit;
    receive = receives ? binding : receive;
  }

  @Override
  public final synchronized void bind(Counter counter, long flags) {
    lifetime.checkOpen();
    required(counter, "counter");
    if ((flags & ~COUNTER_FLAGS) != 0 || flags == 0) {
      throw badFlags(flags, " for binding a counter: give what it counts");
    }
    checkBindable(counter.domain(), counter);
    if (counters.countAnyOf(flags)) {
      throw invalid(this + " has a counter for such operations already: bind one to each kind");
    }
    if (!(counter instanceof CoreCounter own)) {
      throw foreign(counter);
    }
    lifetime.hold(own.lifetime());
    counters.bind(own, flags);
  }

  private void checkBindable(Domain of, Object bound) {
    checkBindable(of, domain, bound);
  }

  /** Refuses to bind what is of another domain or fabric, and anything once it is enabled. */
  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  protected final void checkBindable(FabricObject of, FabricObject own, Object bound) {
    if (of != own) {
      throw invalid(bound + " is of " + of + ", but " + this + " of " + own);
    }
    if (isEnabled()) {
      throw invalid(this + " is enabled: bind " + bound + " before that");
    }
  }

  /** What a call is answered with that is to bind an object of another kind of program. */
  protected static FabricException foreign(Object bound) {
    return invalid(bound + " is not of this provider");
  }

  @Override
  public final synchronized void enable() {
    lifetime.checkOpen();
    if (isEnabled()) {
      return;
    }
    boolean sends =
        info.has(Capability.SEND) || info.has(Capability.READ) || info.has(Capability.WRITE);
    boolean receives = info.has(Capability.RECEIVE);
    // In this order: queues before the vector (AV-211).
    Binding out = sends ? reporting(transmit, COUNTED_SENDS, "sends", "TRANSMIT") : null;
    Binding in = receives ? reporting(receive, COUNTED_RECEIVES, "receives", "RECEIVE") : null;
    T ready = open(out, in);
    enabled = ready;
    begin(ready);
  }

  /** Has the data moved from now on. */
  protected void begin(T ready) {
    ready.join();
  }

  protected void end(T present) {
    present.close();
  }

  /** The vector that is bound, for an endpoint that cannot do without. */
  protected synchronized CoreAddressVector vector() {
    CoreAddressVector bound = vector;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: bind one before enabling it");
    }
    return bound;
  }

  /** Whether a direction may have counters and no completion queue. */
  protected boolean isContentWithCounters() {
    return false;
  }

  /** What a direction reports to, which must be something. */
  private Binding reporting(@Nullable Binding bound, long counted, String what, String flag) {
    if (bound != null) {
      return bound;
    }
    if (isContentWithCounters() && counters.countAnyOf(counted)) {
      return new Binding(null, false, counters);
    }
    throw new FabricException(
        Errno.ENOCQ,
        "%s has no completion queue for %s: bind one with BindFlag.%s%s before enabling it"
            .formatted(this, what, flag, isContentWithCounters() ? ", or a counter," : ""));
  }

  @Override
  public final synchronized void name(FabricAddress address) {
    lifetime.checkOpen();
    required(address, "address");
    if (isEnabled()) {
      throw invalid(this + " is enabled: name it before that");
    }
    checkNameable();
    EndpointAddress.checkSource(address, domain.info().addressFormat(), domain);
    info = info.withSource(address);
  }

  /** Refuses a name if the endpoint has one already, or none of its own. */
  protected void checkNameable() {}

  private boolean isEnabled() {
    return enabled != null;
  }

  @Override
  public final FabricAddress name() {
    return ready("has no name yet").name();
  }

  /** What the endpoint is since it was enabled, or null. */
  protected final @Nullable T enabled() {
    return enabled;
  }

  /**
   * What the endpoint is since it was enabled.
   *
   * @param otherwise what it cannot do before
   */
  public final T ready(String otherwise) {
    lifetime.checkOpen();
    T present = enabled;
    if (present == null) {
      throw new FabricException(Errno.EOPBADSTATE, this + " " + otherwise + ": enable first");
    }
    return present;
  }

  public static void checkFlags(long flags, long known, String call) {
    if ((flags & ~known) != 0) {
      throw badFlags(flags & ~known, " mean nothing to a " + call);
    }
  }

  /** What sends go through, which an endpoint that only receives has not. */
  public final <H> H sending(@Nullable H half) {
    // Those that only read or write the memory of peers have one too.
    if (half == null || !info.has(Capability.SEND)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: " + wayTo(Capability.SEND));
    }
    return half;
  }

  /** What receives go through, which an endpoint that only sends has not. */
  protected final <H> H receiving(@Nullable H half) {
    if (half == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: " + wayTo(Capability.RECEIVE));
    }
    return half;
  }

  /** What to do for a capability that the endpoint has not. */
  protected String wayTo(Capability missing) {
    return "ask for capability " + missing + " too";
  }

  @Override
  protected synchronized void release() {
    T present = enabled;
    if (present == null) {
      neverEnabled();
    } else {
      end(present);
    }
  }

  protected void neverEnabled() {}

  // What only endpoints do that have one peer, which they connect with.

  @Override
  public void bind(EventQueue queue) {
    throw unconnected("has no events to report");
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    throw unconnected("does not connect");
  }

  @Override
  public void accept(byte[] data) {
    throw unconnected("does not connect");
  }

  @Override
  public void shutdown() {
    throw unconnected("does not connect");
  }

  @Override
  public FabricAddress peer() {
    throw unconnected("has no peer of its own");
  }

  @Override
  public int connectionDataSize() {
    throw unconnected("does not connect");
  }

  private FabricException unconnected(String what) {
    return unsupported(
        this + " is of type " + info().endpoint().type() + " and " + what + ": only type MSG does");
  }

  @Override
  public String toString() {
    T present = enabled;
    return present == null
        ? "endpoint of " + domain.info().domain().name() + ", not enabled"
        : present.toString();
  }
}
