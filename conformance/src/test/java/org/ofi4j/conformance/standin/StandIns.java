// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ContextOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Event;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricObject;
import org.ofi4j.PassiveOptions;
import org.ofi4j.QueueBinding;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ScalableOptions;

/** Knows who stands in for whom, so that no real object shows through. */
public final class StandIns {
  private final Map<FabricObject, FabricObject> byReal =
      Collections.synchronizedMap(new IdentityHashMap<>());

  /** Remembers a stand-in. */
  public <T extends FabricObject> T add(FabricObject real, T standIn) {
    byReal.put(real, standIn);
    return standIn;
  }

  /** Who stands in for a real object; the object itself if nobody does. */
  public FabricObject of(FabricObject real) {
    return byReal.getOrDefault(real, real);
  }

  /** The real object behind a stand-in; other objects, and null, as they are. */
  @SuppressWarnings("unchecked") // A stand-in implements the interface of what it stands in for.
  public static <T extends FabricObject> T real(T object) {
    return object instanceof ForwardingObject<?> standIn ? (T) standIn.real() : object;
  }

  /** Returns options that name real objects; counters have no stand-ins. */
  static EndpointOptions real(EndpointOptions options) {
    if (options == null) {
      return null;
    }
    EndpointOptions real = options;
    if (options.vector() != null) {
      real = real.withVector(real(options.vector()));
    }
    QueueBinding transmit = options.transmit();
    if (transmit != null) {
      CompletionQueue queue = real(transmit.queue());
      real =
          transmit.selective()
              ? real.withSelectiveTransmitQueue(queue)
              : real.withTransmitQueue(queue);
    }
    QueueBinding receive = options.receive();
    if (receive != null) {
      CompletionQueue queue = real(receive.queue());
      real =
          receive.selective()
              ? real.withSelectiveReceiveQueue(queue)
              : real.withReceiveQueue(queue);
    }
    if (options.events() != null) {
      real = real.withEvents(real(options.events()));
    }
    return options.sharedReceives() == null
        ? real
        : real.withSharedReceives(real(options.sharedReceives()));
  }

  /** Returns options that name real objects. */
  static ScalableOptions real(ScalableOptions options) {
    return options == null || options.vector() == null
        ? options
        : options.withVector(real(options.vector()));
  }

  /** Returns options that name real objects; counters have no stand-ins. */
  static ContextOptions real(ContextOptions options) {
    if (options == null || options.queue() == null) {
      return options;
    }
    CompletionQueue queue = real(options.queue().queue());
    return options.queue().selective()
        ? options.withSelectiveQueue(queue)
        : options.withQueue(queue);
  }

  /** Returns options that name real objects. */
  static PassiveOptions real(PassiveOptions options) {
    return options == null || options.events() == null
        ? options
        : options.withEvents(real(options.events()));
  }

  /** Returns options that name real objects. */
  static RegisterOptions real(RegisterOptions options) {
    if (options == null || options.vector() == null) {
      return options;
    }
    AddressVector vector = real(options.vector());
    return switch (options.reachedBy()) {
      case ANY -> options.withAnyAuthKey(vector);
      case AUTH_KEY -> options.withAuthKey(vector, options.source());
      case PEER -> options.withPeer(vector, options.source());
    };
  }

  public Event translate(Event event) {
    return switch (event) {
      case null -> null;
      case Event.InsertionComplete complete ->
          Event.InsertionComplete.of(of(complete.source()), complete.context(), complete.data());
      case Event.ConnectionRequest request ->
          Event.ConnectionRequest.of(
              of(request.source()), request.info(), request.connectionData());
      case Event.Connected connected ->
          Event.Connected.of(of(connected.source()), connected.connectionData());
      case Event.Shutdown shutdown -> Event.Shutdown.of(of(shutdown.source()));
      case Event.PeerLost lost ->
          Event.PeerLost.of(of(lost.source()), lost.peer(), lost.errno(), lost.reason());
      case Event.PeerReturned returned ->
          Event.PeerReturned.of(of(returned.source()), returned.peer(), returned.restarted());
      case Event.Failure failure -> translate(failure);
    };
  }

  public Event.Failure translate(Event.Failure failure) {
    return failure == null
        ? null
        : Event.Failure.of(of(failure.source()), failure.errno(), failure.reason())
            .context(failure.context())
            .data(failure.data())
            .providerErrno(failure.providerErrno())
            .errorData(failure.errorData())
            .build();
  }

  public FabricBusyException translate(FabricObject subject, FabricBusyException busy) {
    List<FabricObject> holders = busy.holders().stream().map(this::of).toList();
    return new FabricBusyException(subject, holders);
  }
}
