// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

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
 * An endpoint of fi_endpoint(3) with the objects that are bound to it: an address vector,
 * completion queues, counters and an event queue. It checks that an endpoint has all that it needs,
 * opens the transport behind it, and closes it. Opening and closing take the monitor of the object.
 * Transfers read the transport without a lock.
 *
 * @param <D> the type of its domain
 * @param <T> the type of its transport
 */
public abstract class BoundEndpoint<D extends Domain, T extends OpenEndpoint> extends CoreObject
    implements Endpoint {
  private static final long COUNTED_SENDS =
      Flag.maskOf(CounterFlag.SEND, CounterFlag.WRITE, CounterFlag.READ);
  private static final long COUNTED_RECEIVES = CounterFlag.RECEIVE.mask();

  private final D domain;
  private FabricInfo info;

  // The bound objects; guarded by the monitor of this object, as opening and closing are.
  private @Nullable CoreAddressVector vector;
  private @Nullable Binding transmit;
  private @Nullable Binding receive;
  private final Counters counters = new Counters();

  // Written once, with everything bound; transfers read it without a lock. Null only while the
  // endpoint is being opened, when no other object knows of it.
  private volatile @Nullable T traffic;

  /**
   * Creates an endpoint to which nothing is bound yet.
   *
   * @param domain its domain
   * @param domainLifetime the lifetime of the domain, which stays open as long as the endpoint
   * @param info the information that the endpoint is opened with
   * @param context the context of the application, or null
   */
  protected BoundEndpoint(
      D domain, Lifetime domainLifetime, FabricInfo info, @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.info = info;
    lifetime.hold(domainLifetime);
  }

  /**
   * Binds the objects of the options to an endpoint, and starts it.
   *
   * @param <E> the type of the endpoint
   * @param endpoint a new endpoint; it is closed if this method throws
   * @param options the options of the application
   * @return the endpoint
   * @throws FabricException with {@link Errno#ENOCQ} or {@link Errno#ENOAV} if a queue or a vector
   *     is missing, {@link Errno#EINVAL} if an object is of another domain or provider, or the
   *     error of the transport
   */
  public static <E extends BoundEndpoint<?, ?>> E opened(E endpoint, EndpointOptions options) {
    return opened(endpoint, () -> endpoint.open(() -> endpoint.bind(options)));
  }

  /**
   * Binds objects to the endpoint, and starts it.
   *
   * @param binding binds them
   */
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
   * Opens the transport, when all objects are bound. No peer and no thread may use it before {@link
   * #begin}.
   *
   * @param out the binding of sends, or null if the endpoint only receives
   * @param in the binding of receives, or null if the endpoint only sends
   * @return the transport
   * @throws FabricException if that is not possible; no resource is held then
   */
  protected abstract T open(@Nullable Binding out, @Nullable Binding in);

  /**
   * Starts the transfers.
   *
   * @param ready the transport
   */
  protected abstract void begin(T ready);

  /**
   * Ends the transfers, when the endpoint is closed.
   *
   * @param present the transport
   */
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

  // Binding.

  /**
   * Binds the objects of the options.
   *
   * @param options the options of the application
   */
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

  /**
   * Binds the queue and the counters of a context, which has one direction.
   *
   * @param queue the queue, or null
   * @param toReceive whether the context receives
   * @param counted the counters
   */
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
   * Returns the information of the endpoint at an address that the application has chosen.
   *
   * @param address the address
   * @return {@link #info} with this source
   * @throws FabricException if the endpoint cannot have this address
   */
  protected abstract FabricInfo at(FabricAddress address);

  /**
   * Binds a shared receive context; without an override, throws.
   *
   * @param context the context
   * @throws FabricException with {@link Errno#ENOSYS} if the endpoint cannot share receives
   */
  protected void bind(SharedReceiveContext context) {
    throw unsupported(this + " cannot share its receives: endpoints of provider tcp can");
  }

  /**
   * Binds an event queue; without an override, throws.
   *
   * @param queue the queue
   * @throws FabricException with {@link Errno#ENOSYS} if the endpoint has no events
   */
  protected void bind(EventQueue queue) {
    throw unsupported(
        "%s is of type %s and has no events to report: types RDM and MSG have"
            .formatted(this, info.endpoint().type()));
  }

  /**
   * Checks that an object is of the domain or fabric of the endpoint.
   *
   * @param of the domain or fabric of the object
   * @param own the domain or fabric of the endpoint
   * @param bound the object
   * @throws FabricException with {@link Errno#EINVAL} if both differ
   */
  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  protected final void checkBindable(FabricObject of, FabricObject own, Object bound) {
    if (of != own) {
      throw invalid(bound + " is of " + of + ", but " + this + " of " + own);
    }
  }

  /**
   * Keeps an object of this provider open until the endpoint is closed.
   *
   * @param <O> the type of the object
   * @param kind the class of the objects of this provider
   * @param bound the object
   * @param of the domain or fabric of the object
   * @param own the domain or fabric of the endpoint, which must be the same
   * @return the object
   * @throws FabricException with {@link Errno#EINVAL} if the object is of another domain, fabric or
   *     provider
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

  /**
   * Returns the address vector, for an endpoint that cannot do without.
   *
   * @return the vector
   * @throws FabricException with {@link Errno#ENOAV} if none is bound
   */
  protected CoreAddressVector vector() {
    CoreAddressVector bound = vector;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: name one in the options");
    }
    return bound;
  }

  /**
   * Returns whether a direction may have counters and no completion queue.
   *
   * @return false without an override
   */
  protected boolean isContentWithCounters() {
    return false;
  }

  /** Returns the binding of a direction, which needs a queue or a counter. */
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

  // Questions of transfers.

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

  /**
   * Returns the number of sends, reads and writes that were posted and not reported. Any thread may
   * call this.
   *
   * @param present the transport
   * @return the number
   */
  protected abstract long outstandingTransmits(T present);

  /**
   * Returns the number of receives that were posted and not reported. Any thread may call this.
   *
   * @param present the transport
   * @return the number
   */
  protected abstract long outstandingReceives(T present);

  /**
   * Returns the statistics of the connections, if the transport has some.
   *
   * @param present the transport
   * @return the statistics
   */
  protected ConnectionStatistics connections(T present) {
    return ConnectionStatistics.none();
  }

  /**
   * Returns the transport of an open endpoint. Any thread may call this.
   *
   * @return the transport
   * @throws FabricException if the endpoint is closed
   */
  public final T ready() {
    lifetime.checkOpen();
    return Objects.requireNonNull(traffic);
  }

  /**
   * Checks that a call knows all its flags.
   *
   * @param flags the flags
   * @param known the bits that the call knows
   * @param call the name of the call, for the error
   * @throws FabricException with {@link Errno#EBADFLAGS} if there are others
   */
  public static void checkFlags(long flags, long known, String call) {
    if ((flags & ~known) != 0) {
      List<TransferFlag> foreign =
          Arrays.stream(TransferFlag.values())
              .filter(each -> (flags & ~known & each.mask()) != 0)
              .toList();
      throw badFlags(flags & ~known, " mean nothing to a " + call + ": leave out " + foreign);
    }
  }

  /**
   * Returns the half of the transport that sends.
   *
   * @param <H> the type of the half
   * @param half the half; null if the endpoint only receives
   * @return the half
   * @throws FabricException with {@link Errno#EOPNOTSUPP} if the endpoint does not send
   */
  public final <H> H sending(@Nullable H half) {
    // Those that only read or write the memory of peers have one too.
    if (half == null || !info.has(Capability.SEND)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    return half;
  }

  /**
   * Returns the half of the transport that receives.
   *
   * @param <H> the type of the half
   * @param half the half; null if the endpoint only sends
   * @return the half
   * @throws FabricException with {@link Errno#EOPNOTSUPP} if the endpoint does not receive
   */
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

  /** Releases what the endpoint holds, when it could not be opened. */
  protected void neverOpened() {}

  @Override
  public String toString() {
    T present = traffic;
    return present == null
        ? "endpoint of " + domain.info().domain().name() + ", being opened"
        : present.toString();
  }
}
