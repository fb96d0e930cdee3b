// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.ofi4j.ContextOptions;
import org.ofi4j.CounterBinding;
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

  /** Options that name real objects. */
  static EndpointOptions real(EndpointOptions options) {
    return options == null
        ? null
        : new EndpointOptions(
            real(options.vector()),
            real(options.transmit()),
            real(options.receive()),
            real(options.counters()),
            real(options.events()),
            real(options.sharedReceives()),
            options.address(),
            options.connections(),
            options.minMultiReceive(),
            options.context());
  }

  /** Options that name real objects. */
  static ScalableOptions real(ScalableOptions options) {
    return options == null
        ? null
        : new ScalableOptions(
            real(options.vector()), options.address(), options.connections(), options.context());
  }

  /** Options that name real objects. */
  static ContextOptions real(ContextOptions options) {
    return options == null
        ? null
        : new ContextOptions(
            real(options.queue()),
            real(options.counters()),
            options.capabilities(),
            options.size(),
            options.minMultiReceive(),
            options.context());
  }

  /** Options that name real objects. */
  static PassiveOptions real(PassiveOptions options) {
    return options == null
        ? null
        : new PassiveOptions(
            real(options.events()),
            options.address(),
            options.backlog(),
            options.answerTimeout(),
            options.security(),
            options.context());
  }

  /** Options that name real objects. */
  static RegisterOptions real(RegisterOptions options) {
    return options == null
        ? null
        : new RegisterOptions(
            options.access(),
            options.key(),
            real(options.vector()),
            options.reachedBy(),
            options.source(),
            options.lasting(),
            options.context());
  }

  private static QueueBinding real(QueueBinding bound) {
    return bound == null ? null : new QueueBinding(real(bound.queue()), bound.selective());
  }

  private static List<CounterBinding> real(List<CounterBinding> bound) {
    return bound.stream()
        .map(each -> new CounterBinding(real(each.counter()), each.flags()))
        .toList();
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
