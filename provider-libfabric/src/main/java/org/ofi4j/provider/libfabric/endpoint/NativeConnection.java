// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.kit.ConnectedTransport;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.UnreportedEvents;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.connection.EventTarget;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeEventQueue;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * An endpoint with one peer: a {@link NativeTransport}, and its connection, of which it has one in
 * its life. An event reports that the connection is there and, once, that it has ended, or why it
 * never came. When it ends, libfabric's endpoint is closed, so that it lets go of all operations;
 * then each of them is reported.
 *
 * <p>The peer is the destination of all operations: handles mean nothing, and libfabric is told
 * none. The lock of the domain guards all.
 */
final class NativeConnection implements ConnectedTransport, Destinations, EventTarget {
  /** How far the connection is. */
  private enum Stage {
    /** No peer was asked. */
    IDLE,
    /** The peer is to answer, or the answer is on its way. */
    CONNECTING,
    /** Messages go both ways. */
    CONNECTED,
    /** The connection never came. */
    FAILED,
    /** The connection has ended. */
    ENDED
  }

  /** How often a queue is read until it is empty: others may fill it at the same time. */
  private static final int READS = 64;

  /** {@code EAFNOSUPPORT}. */
  private static final int OTHER_FAMILY = 97;

  private static final int CLOSED = Errno.ECONNRESET.number();

  /**
   * Errors that are reported of a connection that never came: EPERM, ENOMEM, EACCES, ENOPROTOOPT,
   * EPROTONOSUPPORT, EADDRINUSE to ENETRESET, ECONNABORTED, ECONNRESET, ENOBUFS, ETIMEDOUT to
   * EHOSTUNREACH. If the other side has closed it, fabrics say whatever was in {@code errno}.
   */
  private static final Set<Integer> SAID =
      Set.of(1, 12, 13, 92, 93, 98, 99, 100, 101, 102, 103, 104, 105, 110, 111, 112, 113);

  /** ECANCELED, ENOTCONN, ECONNRESET and EPIPE. */
  private static final Set<Integer> CUT_OFF = Set.of(125, 107, 104, 32);

  private static final byte[] NOTHING = {};

  private final DomainResources domain;
  private final EndpointOpening opening;
  private final FabricObject endpoint;
  private final @Nullable NativeConnectionRequest request;
  private final UnreportedEvents unreported;
  private final EventReader reader;

  /** Without a native handle, which is {@code FI_ADDR_UNSPEC}. */
  private final Peer destination = new Peer(new byte[0], null);

  private final NativeTransport transport;
  private final NativeEndpoint object;
  private final int connectionDataSize;

  private Stage stage = Stage.IDLE;
  private boolean accepts;
  private boolean shutDownHere;
  private boolean released;

  /** Why the connection is over. */
  private String reason = "";

  /** When the peer must have answered, by {@link System#nanoTime}. */
  private long deadline;

  /** The event to report when everything that was posted is reported; null before the end. */
  private @Nullable Event last;

  /** The peer that the application has asked for a connection, or that has asked it. */
  private @Nullable FabricAddress peer;

  // Read without the lock too; null until libfabric names another one than before.
  private volatile @Nullable FabricAddress name;

  private NativeConnection(
      DomainResources domain,
      EndpointOpening opening,
      Events events,
      @Nullable NativeConnectionRequest request) {
    this.domain = domain;
    this.opening = opening;
    this.request = request;
    endpoint = opening.endpoint();
    unreported = new UnreportedEvents(events);
    reader = domain.events();
    NativeInfo info =
        request == null ? NativeTransport.asked(domain, opening.info()) : request.info().copy();
    transport =
        // A peer that reads slowly may do so.
        NativeTransport.open(
            domain, opening, info, _ -> this, engines(events), QueueReader.NO_LIMIT);
    object = transport.endpoint;
    connectionDataSize = object.connectionDataSize();
    try (var _ = domain.lock()) {
      reader.add(object, this);
    }
  }

  /**
   * Opens an endpoint, for a request if the information names one, which no other can take then.
   */
  static NativeConnection open(DomainResources domain, EndpointOpening opening, Events events) {
    ConnectionHandle handle = opening.info().handle();
    if (handle == null) {
      return new NativeConnection(domain, opening, events, null);
    }
    if (!(handle instanceof NativeConnectionRequest wanted)) {
      throw invalid(handle + " is no connection request of this provider");
    }
    wanted.claim();
    try (Rollback rollback = new Rollback()) {
      rollback.add(wanted::giveUp);
      return rollback.keep(new NativeConnection(domain, opening, events, wanted));
    }
  }

  /**
   * The threads that read the event queue move the data too, unless a thread of the domain does.
   */
  private List<NativeProgress> engines(Events events) {
    List<NativeProgress> engines = new ArrayList<>(NativeTransport.engines(opening));
    if (domain.mover() == null) {
      NativeProgress driving =
          (NativeProgress) events.drive(() -> new NativeProgress(domain.library, null, 0, null));
      if (!engines.contains(driving)) {
        engines.add(driving);
      }
    }
    return engines;
  }

  @Override
  public FabricAddress name() {
    FabricAddress present = name;
    return present == null ? transport.name() : present;
  }

  @Override
  public @Nullable NativeTransmitter transmitter() {
    return transport.transmitter();
  }

  @Override
  public @Nullable NativeReceiver receiver() {
    return transport.receiver();
  }

  @Override
  public void begin() {
    transport.begin();
    transport.bindings.engines().forEach(engine -> engine.add(reader));
  }

  @Override
  public int connectionDataSize() {
    return connectionDataSize;
  }

  // Calls of the application.

  @Override
  public void connect(FabricAddress to, byte[] data) {
    NativeAddress.checkFormat(to, opening.info().addressFormat(), opening.domain());
    change(() -> {
      checkIdle();
      int errno = object.connect(to.toBytes(), data);
      if (errno == -Errno.EINVAL.number() || errno == -OTHER_FAMILY) {
        throw new FabricException(
            Errno.EINVAL, "libfabric does not connect %s with such an address".formatted(endpoint));
      }
      await();
      if (errno < 0) {
        fail(-errno, 0, null, NOTHING);
      }
      peer = to;
    });
  }

  @Override
  public void accept(byte[] data) {
    NativeConnectionRequest wanted = request;
    if (wanted == null) {
      throw invalid(this + " was not opened for a connection request");
    }
    change(() -> {
      peer = wanted.peer();
      checkIdle();
      int errno = object.accept(data);
      if (errno < 0) {
        stage = Stage.FAILED;
        over("the connection never came");
        throw new FabricException(
            Errno.ECONNABORTED,
            "the request cannot be accepted, its peer has gone: " + Errno.describe(-errno));
      }
      // At once, or who closes the endpoint would take it for unanswered.
      wanted.accepted();
      accepts = true;
      await();
      // Some fabrics answer only now.
      reader.moveNow();
    });
  }

  /** Ends the connection from here; does nothing if it has ended. */
  @Override
  public void shutdown() {
    change(() -> {
      if (stage == Stage.CONNECTED) {
        shutDownHere = true;
        object.shutdown();
        end("the connection was shut down");
        reader.moveNow();
      } else if (stage != Stage.ENDED) {
        throw notConnected("there is nothing to shut down");
      }
    });
  }

  private void change(Runnable call) {
    try (var _ = transport.lock()) {
      call.run();
    }
    transport.changed();
  }

  private void checkIdle() {
    if (stage != Stage.IDLE) {
      throw new FabricException(
          Errno.EISCONN,
          endpoint + " has been connected before, and is once in its life: open another one");
    }
  }

  /** Waits for the peer from now on. */
  private void await() {
    stage = Stage.CONNECTING;
    deadline =
        System.nanoTime() + TimeUnit.NANOSECONDS.convert(opening.connections().connectTimeout());
    reader.attend(this);
  }

  @Override
  public FabricAddress peer() {
    try (var _ = transport.lock()) {
      if (stage != Stage.CONNECTED) {
        throw notConnected("it has no peer");
      }
      FabricAddress present = peer;
      if (present == null) {
        throw new FabricException(Errno.ENOTCONN, this + " has no peer");
      }
      return present;
    }
  }

  private FabricException notConnected(String hence) {
    return new FabricException(
        Errno.ENOTCONN,
        endpoint
            + (stage == Stage.CONNECTING ? " is still connecting, and " : " is not connected, and ")
            + hence);
  }

  // The destination of operations.

  @Override
  public void bindTo(NativeEndpoint opened) {
    reader.bind(opened);
  }

  @Override
  public Peer peer(long handle) {
    if (stage == Stage.ENDED) {
      throw new FabricException(
          Errno.ESHUTDOWN, "the connection of " + endpoint + " has ended: open another endpoint");
    }
    if (stage != Stage.CONNECTED) {
      throw notConnected("messages can be sent once Event.Connected was reported");
    }
    return destination;
  }

  @Override
  public void direct(NativeOperation receive, long handle) {
    // There is one source, and no capability to name another.
  }

  @Override
  public boolean reach(Peer reached) {
    return true;
  }

  @Override
  public void source(long handle, MessageSource source) {
    source.unknown();
  }

  @Override
  public @Nullable FabricException cutOff(boolean sent) {
    return isOver() ? new FabricException(cutOffErrno(sent), reason) : null;
  }

  /**
   * Fabrics have several errors for what the end of a connection has cut off, and the same for what
   * may have arrived and what has not.
   */
  @Override
  public int errno(int reported, boolean sent) {
    return CUT_OFF.contains(reported) ? cutOffErrno(sent).number() : reported;
  }

  /** Returns the errno of an operation that the end of the connection has cut off or will. */
  private Errno cutOffErrno(boolean sent) {
    return sent && !shutDownHere ? Errno.ECONNRESET : Errno.ECANCELED;
  }

  /** Returns whether nothing comes over the connection any more. */
  private boolean isOver() {
    return stage == Stage.FAILED || stage == Stage.ENDED;
  }

  // Events of the connection.

  @Override
  public void happened(NativeEventQueue.Event event) {
    switch (event.code()) {
      case Constants.CONNECTED -> {
        if (stage == Stage.CONNECTING) {
          stage = Stage.CONNECTED;
          readNames();
          unreported.add(Event.Connected.of(endpoint, accepts ? NOTHING : event.data()));
        }
      }
      case Constants.SHUTDOWN -> lost(CLOSED, event);
      case 0 -> lost(SAID.contains(event.errno()) ? event.errno() : CLOSED, event);
      default -> {
        // No event of an endpoint.
      }
    }
  }

  private void readNames() {
    try {
      name = domain.address(object.name());
      peer = domain.address(object.peer());
    } catch (FabricException unknown) {
      // The connection may have ended already; the former address is kept.
      return;
    }
  }

  private void lost(int errno, NativeEventQueue.Event event) {
    if (stage == Stage.CONNECTING) {
      fail(errno, event.providerErrno(), event.words(), event.data());
    } else if (stage == Stage.CONNECTED) {
      end("the other side has ended the connection");
    }
  }

  private void fail(int errno, int providerErrno, @Nullable String words, byte[] data) {
    stage = Stage.FAILED;
    String said = words == null ? Errno.describe(errno) : words;
    over("the connection never came: " + said);
    last =
        Event.Failure.of(endpoint, Errno.of(errno), "no connection: " + said)
            .providerErrno(providerErrno)
            .errorData(data)
            .build();
  }

  private void end(String why) {
    stage = Stage.ENDED;
    over(why);
    last = Event.Shutdown.of(endpoint);
  }

  private void over(String why) {
    reason = why;
    reader.attend(this);
    // They end as those do that libfabric has; but they have not arrived.
    if (transport.transmitter() != null) {
      transport.transmitter().backlog.clear(waiting -> waiting.withdrawn = true);
    }
    if (transport.receiver() != null) {
      transport.receiver().several.clear(waiting -> {});
    }
    if (!transport.memory.isOfEndpoint()) {
      try {
        object.close();
      } catch (FabricException busy) {
        // Memory is registered for it: the fabric ends what is posted, or closing the endpoint
        // does.
        return;
      }
      released = true;
      domain.closed(endpoint);
      reader.remove(object, this);
      reader.attend(this);
    }
  }

  @Override
  public long attend(long now) {
    if (stage == Stage.CONNECTING && now - deadline >= 0) {
      fail(Errno.ETIMEDOUT.number(), 0, "it does not answer (connectTimeout)", NOTHING);
    }
    // First that it has come, which some wait for before they make room for other things.
    boolean reported = unreported.report();
    boolean settled = !isOver() || settle();
    if (settled && last != null) {
      unreported.add(last);
      last = null;
      reported = unreported.report();
    }
    if (!settled || !reported) {
      return REPORT_PAUSE;
    }
    return stage == Stage.CONNECTING ? deadline - now : QueueReader.NO_LIMIT;
  }

  /**
   * Reports what has become of all that was posted, as far as there is room.
   *
   * @return whether that is all
   */
  private boolean settle() {
    CompletionReader out = transport.bindings.transmits();
    CompletionReader in = transport.bindings.receives();
    boolean outEmpty = out == null || isEmpty(out);
    boolean inEmpty = in == null || isEmpty(in);
    if (outEmpty && inEmpty && transport.outstanding() > 0) {
      failDropped();
    }
    return transport.outstanding() == 0;
  }

  /** Reads a queue until nothing is in it; false if there is no room for that. */
  private static boolean isEmpty(CompletionReader queue) {
    int reads = 0;
    while (reads < READS && queue.move()) {
      reads++;
    }
    return reads < READS && queue.hasRoom();
  }

  /** Reports operations of which libfabric will say nothing. */
  private void failDropped() {
    for (NativeOperation each : transport.underWay()) {
      boolean sent = each.what != CounterFlag.RECEIVE && !each.withdrawn;
      boolean neverPosted = each.what != CounterFlag.RECEIVE && each.withdrawn;
      FabricException cut = released || neverPosted ? cutOff(sent) : null;
      if (cut != null && each.owner != null) {
        each.owner.fail(each, cut);
      }
    }
  }

  @Override
  public void close() {
    domain.lock();
    try {
      transport.close();
    } finally {
      // From now on nothing is reported.
      reader.remove(object, this);
      domain.unlock();
      transport.bindings.engines().forEach(engine -> engine.remove(reader));
    }
    if (request != null) {
      request.giveUp();
    }
  }

  @Override
  public String toString() {
    return "connection of endpoint " + transport.name();
  }
}
