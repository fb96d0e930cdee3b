// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.CounterBinding;
import org.ofi4j.CounterFlag;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.QueueBinding;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.CoreCounter;
import org.ofi4j.core.queue.CoreEventQueue;

/**
 * An endpoint, or a context of a scalable one, as applications call it: binds queues, counters and
 * a vector, has the domain open a {@link Transport}, and hands it what applications post. A
 * subclass has the calls of one type of endpoint.
 *
 * <p>Opening and closing take the monitor of the object. Transfers take no part in that: they read
 * the transport, which is written once.
 */
abstract class KitEndpoint extends CoreObject implements Endpoint {
  private static final long COUNTED_SENDS =
      Flag.maskOf(CounterFlag.SEND, CounterFlag.WRITE, CounterFlag.READ);
  private static final long COUNTED_RECEIVES = CounterFlag.RECEIVE.mask();

  private final EndpointDomain domain;
  private final Counters counters = new Counters();
  private final TransmitPosts transmits;
  private final ReceivePosts receives;
  private FabricInfo info;

  // Null while the endpoint is being opened, when no other thread knows of it.
  private volatile @Nullable Transport transport;

  // Takes messages; null if the endpoint only receives. Written before the transport.
  private @Nullable Transmitter sender;

  @SuppressWarnings("this-escape") // kept for later
  KitEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.info = info;
    transmits = new TransmitPosts(this);
    receives = new ReceivePosts(domain, info, domain.hasKeysInVectors(), this::receiver);
    lifetime.hold(domain.lifetime());
  }

  // Opening.

  /** Opens an endpoint as options say; closes it if anything is refused. */
  static <E extends KitEndpoint> E opened(E endpoint, EndpointOptions options) {
    return opened(endpoint, () -> endpoint.open(options));
  }

  final synchronized void open(EndpointOptions options) {
    FabricAddress address = options.address();
    if (address != null) {
      info = info.withSource(address);
      domain.transport().check(info);
    }
    check(options);
    Peers peers =
        options.vector() == null ? null : Bound.vector(this, options.vector(), domain.domain());
    bind(options.counters());
    Receiver shared = shared(options);
    Events events = options.events() == null ? null : bound(options.events());
    // In this order: queues before the vector (AV-211).
    Completions sends = completions(isSending(info), options.transmit(), COUNTED_SENDS, "sends");
    Completions receiving =
        completions(info.has(Capability.RECEIVE), options.receive(), COUNTED_RECEIVES, "receives");
    checkBound(peers, events);
    begin(
        domain
            .transport()
            .open(
                new EndpointOpening(
                    this,
                    domain.domain(),
                    domain.regions(),
                    info,
                    sends,
                    receiving,
                    peers,
                    events,
                    options.connections(),
                    options.minMultiReceive(),
                    shared)));
  }

  /** Opens one direction as options of a context say. */
  final synchronized void open(
      ContextOptions options, int index, Peers peers, ScalableTransport whole) {
    bind(options.counters());
    boolean sending = isSending(info);
    QueueBinding queue = options.queue();
    Completions completions =
        sending
            ? completions(true, queue, COUNTED_SENDS, "sends")
            : completions(true, queue, COUNTED_RECEIVES, "receives");
    begin(
        whole.openContext(
            index,
            new EndpointOpening(
                this,
                domain.domain(),
                domain.regions(),
                info,
                sending ? completions : null,
                sending ? null : completions,
                peers,
                null,
                ConnectionOptions.defaults(),
                options.minMultiReceive(),
                null)));
  }

  static boolean isSending(FabricInfo info) {
    return info.has(Capability.SEND) || info.has(Capability.READ) || info.has(Capability.WRITE);
  }

  private void begin(Transport opened) {
    // One that only reads or writes the memory of peers has a transmitter too.
    sender = info.has(Capability.SEND) ? opened.transmitter() : null;
    transport = opened;
    opened.begin();
  }

  /** Refuses options that mean nothing to an endpoint of this type. */
  void check(EndpointOptions options) {}

  /** Refuses to open without an address vector; an endpoint with one peer needs an event queue. */
  void checkBound(@Nullable Peers peers, @Nullable Events events) {
    if (peers == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: name one in the options");
    }
  }

  // Bindings.

  private Events bound(EventQueue queue) {
    if (info.endpoint().type() == EndpointType.DGRAM) {
      throw unsupported(
          "%s is of type %s and has no events to report: types RDM and MSG have"
              .formatted(this, info.endpoint().type()));
    }
    return new Events(
        Bound.use(this, CoreEventQueue.class, queue, queue.fabric(), domain.domain().fabric()));
  }

  private @Nullable Receiver shared(EndpointOptions options) {
    SharedReceiveContext context = options.sharedReceives();
    if (context == null) {
      if (info.endpoint().receiveContexts() == FabricInfo.EndpointAttributes.SHARED_CONTEXT
          && info.has(Capability.RECEIVE)) {
        throw invalid(
            this
                + " was opened with SHARED_CONTEXT for its receives: name a shared receive context"
                + " in the options");
      }
      if (options.minMultiReceive() > 0 && !info.has(Capability.RECEIVE)) {
        throw noOwnReceives();
      }
      return null;
    }
    if (options.minMultiReceive() > 0) {
      throw noOwnReceives();
    }
    KitSharedReceiveContext used =
        Bound.use(this, KitSharedReceiveContext.class, context, context.domain(), domain.domain());
    if (!info.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    return used.receiver();
  }

  private static FabricException noOwnReceives() {
    return invalid(
        "minMultiReceive is for an endpoint with receives of its own: give it to the shared"
            + " receive context");
  }

  private void bind(List<CounterBinding> bound) {
    for (CounterBinding each : bound) {
      CoreCounter own =
          Bound.use(
              this, CoreCounter.class, each.counter(), each.counter().domain(), domain.domain());
      if (counters.countAnyOf(each.flags())) {
        throw invalid(this + " has a counter for such operations already: bind one to each kind");
      }
      counters.bind(own, each.flags());
    }
  }

  /** Returns where a direction reports, if there is one: it must have a queue or a counter. */
  private @Nullable Completions completions(
      boolean present, @Nullable QueueBinding bound, long counted, String what) {
    CoreCompletionQueue queue = null;
    if (bound != null) {
      CompletionQueue its = bound.queue();
      queue = Bound.use(this, CoreCompletionQueue.class, its, its.domain(), domain.domain());
    }
    if (!present) {
      return null;
    }
    if (queue == null && !counters.countAnyOf(counted)) {
      throw new FabricException(
          Errno.ENOCQ,
          "%s has no completion queue for %s: name one, or a counter, in the options"
              .formatted(this, what));
    }
    return new Completions(queue, bound != null && bound.selective(), counters);
  }

  // Calls.

  final EndpointDomain endpointDomain() {
    return domain;
  }

  public final TransmitPosts transmits() {
    return transmits;
  }

  public final ReceivePosts receives() {
    return receives;
  }

  @Override
  public final Domain domain() {
    return domain.domain();
  }

  @Override
  public final FabricInfo info() {
    return info;
  }

  /** Returns the transport; throws if the endpoint is closed. */
  final Transport transport() {
    lifetime.checkOpen();
    return Objects.requireNonNull(transport);
  }

  /** Returns the transmitter for messages; throws if the endpoint is closed or only receives. */
  final Transmitter sends() {
    // Reads the volatile field, before which the sender was written.
    transport();
    Transmitter half = sender;
    if (half == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    return half;
  }

  /** Returns the transmitter for reads or writes; throws without the capability. */
  final Transmitter accesses(Capability needed) {
    Transmitter half = transport().transmitter();
    if (half == null || !info.has(needed)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no capability " + needed + ": ask for it and RMA");
    }
    return half;
  }

  private Receiver receiver() {
    Receiver half = transport().receiver();
    if (half == null) {
      throw new FabricException(
          Errno.EOPNOTSUPP,
          this
              + (info.has(Capability.RECEIVE)
                  ? " has no receives of its own: post them to its shared context"
                  : " only sends: ask for capability RECEIVE too"));
    }
    return half;
  }

  static void checkFlags(long flags, long known, String call) {
    if ((flags & ~known) != 0) {
      List<TransferFlag> foreign =
          Arrays.stream(TransferFlag.values())
              .filter(each -> (flags & ~known & each.mask()) != 0)
              .toList();
      throw badFlags(flags & ~known, " mean nothing to a " + call + ": leave out " + foreign);
    }
  }

  /** {@code fi_cancel}: withdraws the receive that was posted first with a context. */
  public final boolean cancel(@Nullable Object context) {
    return transport().receiver() != null && receives.cancel(context);
  }

  @Override
  public final FabricAddress address() {
    return transport().name();
  }

  @Override
  public final EndpointStatistics statistics() {
    Transport present = transport();
    Transmitter out = present.transmitter();
    Receiver in = present.receiver();
    return counters.statistics(
        out == null ? 0 : out.outstanding(),
        in == null ? 0 : in.outstanding(),
        present.connectionStatistics());
  }

  @Override
  protected synchronized void release() {
    Transport present = transport;
    if (present == null) {
      neverOpened();
    } else {
      present.close();
    }
  }

  /** Lets go of what the endpoint was to be opened for. */
  void neverOpened() {}

  @Override
  public String toString() {
    Transport present = transport;
    return present == null
        ? "endpoint of " + domain.info().domain().name() + ", being opened"
        : "endpoint " + present.name();
  }
}
