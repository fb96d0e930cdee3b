// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.CounterBinding;
import org.ofi4j.CounterFlag;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Flag;
import org.ofi4j.QueueBinding;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.CoreCounter;

/**
 * How an endpoint is opened, which is the same whatever it speaks: what is bound to it, what must
 * be, and when its traffic begins; and what every transfer asks first. Opening and closing take the
 * monitor of the object; transfers read what opening left behind and take no part in that.
 *
 * @param <D> what the endpoint needs of the domain that it is on
 * @param <T> what the endpoint is from being opened until it is closed
 */
public abstract class BoundEndpoint<D extends Domain, T extends OpenEndpoint> extends CoreObject
    implements Endpoint {
  private static final long COUNTED_SENDS =
      Flag.maskOf(CounterFlag.SEND, CounterFlag.WRITE, CounterFlag.READ);
  private static final long COUNTED_RECEIVES = CounterFlag.RECEIVE.mask();

  private final D domain;
  private FabricInfo info;

  // What is bound; guarded by the monitor of this object, as opening and closing are.
  private @Nullable CoreAddressVector vector;
  private @Nullable Binding transmit;
  private @Nullable Binding receive;
  private final Counters counters = new Counters();

  // Written once, with everything bound; transfers read it without a lock. Null only while the
  // endpoint is being opened, when nobody else knows of it.
  private volatile @Nullable T traffic;

  /**
   * An endpoint that nothing is bound to yet.
   *
   * @param domainLifetime that of the domain, which stays open as long as the endpoint
   */
  protected BoundEndpoint(
      D domain, Lifetime domainLifetime, FabricInfo info, @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.info = info;
    lifetime.hold(domainLifetime);
  }

  /**
   * Binds what options say to an endpoint, and begins its traffic.
   *
   * @return the endpoint; it is closed if anything is refused
   */
  public static <E extends BoundEndpoint<?, ?>> E opened(E endpoint, EndpointOptions options) {
    return opened(endpoint, () -> endpoint.open(() -> endpoint.bind(options)));
  }

  /** Binds something to the endpoint, and begins its traffic. */
  protected final synchronized void open(Runnable binding) {
    binding.run();
    boolean sends =
        info.has(Capability.SEND) || info.has(Capability.READ) || info.has(Capability.WRITE);
    boolean receives = info.has(Capability.RECEIVE);
    // In this order: queues before the vector (AV-211).
    Binding out = sends ? reporting(transmit, COUNTED_SENDS, "sends") : null;
    Binding in = receives ? reporting(receive, COUNTED_RECEIVES, "receives") : null;
    T ready = open(out, in);
    traffic = ready;
    begin(ready);
  }

  /**
   * Opens the endpoint for traffic, with all that is bound to it.
   *
   * @param out what sends are reported to, or null if the endpoint only receives
   * @param in what receives are reported to, or null if the endpoint only sends
   * @throws FabricException if that is not possible; nothing is left behind then
   */
  protected abstract T open(@Nullable Binding out, @Nullable Binding in);

  /** Has the data moved from now on. */
  protected abstract void begin(T ready);

  /** Ends the traffic. */
  protected void end(T present) {
    present.close();
  }

  @Override
  public final D domain() {
    return domain;
  }

  @Override
  public final FabricInfo info() {
    return info;
  }

  // What is bound.

  /** Binds what options say. */
  protected void bind(EndpointOptions options) {
    if (options.address() != null) {
      info = at(options.address());
    }
    AddressVector bound = options.vector();
    if (bound != null) {
      vector = use(CoreAddressVector.class, bound, bound.domain(), domain);
    }
    transmit = binding(options.transmit());
    receive = binding(options.receive());
    bind(options.counters());
    if (options.sharedReceives() != null) {
      bind(options.sharedReceives());
    }
    if (options.events() != null) {
      bind(options.events());
    }
  }

  /** Binds the queue of the one direction of a context, if there is one, and counters. */
  protected final void bind(
      @Nullable QueueBinding queue, boolean toReceive, List<CounterBinding> counted) {
    if (toReceive) {
      receive = binding(queue);
    } else {
      transmit = binding(queue);
    }
    bind(counted);
  }

  private @Nullable Binding binding(@Nullable QueueBinding bound) {
    if (bound == null) {
      return null;
    }
    CompletionQueue queue = bound.queue();
    return new Binding(
        use(CoreCompletionQueue.class, queue, queue.domain(), domain), bound.selective(), counters);
  }

  private void bind(List<CounterBinding> bound) {
    for (CounterBinding each : bound) {
      CoreCounter own = use(CoreCounter.class, each.counter(), each.counter().domain(), domain);
      if (counters.countAnyOf(each.flags())) {
        throw invalid(this + " has a counter for such operations already: bind one to each kind");
      }
      counters.bind(own, each.flags());
    }
  }

  /**
   * What the endpoint is opened with at an address of its application's choice.
   *
   * @return {@link #info} with that source
   * @throws FabricException if it cannot be there
   */
  protected abstract FabricInfo at(FabricAddress address);

  protected void bind(SharedReceiveContext context) {
    throw unsupported(this + " cannot share its receives: endpoints of provider tcp can");
  }

  protected void bind(EventQueue queue) {
    throw unsupported(
        "%s is of type %s and has no events to report: types RDM and MSG have"
            .formatted(this, info.endpoint().type()));
  }

  /** Refuses to bind what is of another domain or fabric. */
  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  protected final void checkBindable(FabricObject of, FabricObject own, Object bound) {
    if (of != own) {
      throw invalid(bound + " is of " + of + ", but " + this + " of " + own);
    }
  }

  /**
   * Uses an object of this provider until the endpoint is closed.
   *
   * @param of the domain or fabric of the object
   * @param own the domain or fabric of the endpoint, which must be the same
   */
  protected final <O extends CoreObject> O use(
      Class<O> kind, FabricObject bound, FabricObject of, FabricObject own) {
    checkBindable(of, own, bound);
    if (!kind.isInstance(bound)) {
      throw invalid(bound + " is not of this provider");
    }
    O used = kind.cast(bound);
    lifetime.hold(used.lifetime());
    return used;
  }

  /** The vector that is bound, for an endpoint that cannot do without. */
  protected CoreAddressVector vector() {
    CoreAddressVector bound = vector;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: name one in the options");
    }
    return bound;
  }

  /** Whether a direction may have counters and no completion queue. */
  protected boolean isContentWithCounters() {
    return false;
  }

  /** What a direction reports to, which must be something. */
  private Binding reporting(@Nullable Binding bound, long counted, String what) {
    if (bound != null) {
      return bound;
    }
    if (isContentWithCounters() && counters.countAnyOf(counted)) {
      return new Binding(null, false, counters);
    }
    throw new FabricException(
        Errno.ENOCQ,
        "%s has no completion queue for %s: name one%s in the options"
            .formatted(this, what, isContentWithCounters() ? ", or a counter," : ""));
  }

  // What every transfer asks.

  @Override
  public final FabricAddress address() {
    return ready().name();
  }

  @Override
  public final EndpointStatistics statistics() {
    T present = ready();
    return counters.statistics(
        outstandingTransmits(present), outstandingReceives(present), connections(present));
  }

  /** What was posted to be sent, read or written, and was not reported; for any thread. */
  protected abstract long outstandingTransmits(T present);

  /** How many receives were posted and not reported; for any thread. */
  protected abstract long outstandingReceives(T present);

  /** What became of its connections, if it has some. */
  protected ConnectionStatistics connections(T present) {
    return ConnectionStatistics.none();
  }

  /** What the endpoint is since it was opened. */
  public final T ready() {
    lifetime.checkOpen();
    return Objects.requireNonNull(traffic);
  }

  public static void checkFlags(long flags, long known, String call) {
    if ((flags & ~known) != 0) {
      List<TransferFlag> foreign =
          Arrays.stream(TransferFlag.values())
              .filter(each -> (flags & ~known & each.mask()) != 0)
              .toList();
      throw badFlags(flags & ~known, " mean nothing to a " + call + ": leave out " + foreign);
    }
  }

  /** What sends go through, which an endpoint that only receives has not. */
  public final <H> H sending(@Nullable H half) {
    // Those that only read or write the memory of peers have one too.
    if (half == null || !info.has(Capability.SEND)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    return half;
  }

  /** What receives go through, which an endpoint that only sends has not. */
  public final <H> H receiving(@Nullable H half) {
    if (half == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    return half;
  }

  @Override
  protected synchronized void release() {
    T present = traffic;
    if (present == null) {
      neverOpened();
    } else {
      end(present);
    }
  }

  /** It was refused to open: what the endpoint took before that is given back. */
  protected void neverOpened() {}

  @Override
  public String toString() {
    T present = traffic;
    return present == null
        ? "endpoint of " + domain.info().domain().name() + ", being opened"
        : present.toString();
  }
}
