// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointFabric;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.wire.ConnectionMessage;

/** A passive endpoint over TCP. Opening and closing take the monitor of the object. */
public final class ListeningEndpoint extends CoreObject implements PassiveEndpoint {
  private final EndpointFabric fabric;
  private final FabricInfo info;

  // Of automatic progress, to be closed with the endpoint.
  private @Nullable NetProgress engine;

  // Written once; null only while the endpoint is being opened, when nobody else knows of it.
  private volatile @Nullable PassiveTraffic listening;

  private ListeningEndpoint(EndpointFabric fabric, FabricInfo info, @Nullable Object context) {
    super(context);
    this.fabric = fabric;
    this.info = info;
    lifetime.hold(fabric.lifetime());
  }

  /** One that listens: what options say is bound to it. */
  public static ListeningEndpoint open(
      EndpointFabric fabric, FabricInfo info, PassiveOptions options) {
    FabricInfo own = EndpointAddress.at(options.address(), info, fabric);
    ListeningEndpoint opened = new ListeningEndpoint(fabric, own, options.context());
    return opened(opened, () -> opened.listen(options));
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  private synchronized void listen(PassiveOptions options) {
    CoreEventQueue bound = bound(options.events());
    lifetime.hold(bound.lifetime());
    PassiveTraffic ready = open(bound, options);
    listening = ready;
    ready.join();
  }

  @SuppressWarnings("ReferenceEquality") // a fabric is itself and no other
  private CoreEventQueue bound(@Nullable EventQueue queue) {
    if (queue == null) {
      throw new FabricException(Errno.ENOEQ, this + " has no event queue: name one in the options");
    }
    if (queue.fabric() != fabric) {
      throw invalid(queue + " is of " + queue.fabric() + ", but " + this + " of " + fabric);
    }
    if (!(queue instanceof CoreEventQueue own)) {
      throw invalid(queue + " is not of this provider");
    }
    return own;
  }

  private PassiveTraffic open(CoreEventQueue bound, PassiveOptions options) {
    boolean automatic = info.domain().progress() == Progress.AUTO;
    Selector own = null;
    LocalSocket<ServerSocketChannel> socket = null;
    try {
      own = automatic ? null : Selector.open();
      NetProgress mover;
      if (automatic) {
        mover = new AutomaticProgress(fabric.progressThread());
        engine = mover;
      } else {
        mover = (NetProgress) bound.drive(ManualProgress::new);
      }
      socket = Listener.socket(info, info);
      ListeningSettings settings =
          new ListeningSettings(
              this,
              info,
              bound,
              options.security(),
              options.backlog(),
              ConnectionSettings.nanoseconds(options.answerTimeout()));
      return new PassiveTraffic(settings, mover, socket, own, fabric.staging());
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector for the passive endpoint: " + failed + "; raise the limit of open files",
          failed);
    } catch (RuntimeException | Error failed) {
      Quietly.close(own);
      if (socket != null) {
        Quietly.close(socket.channel());
      }
      throw failed;
    }
  }

  @Override
  public FabricAddress address() {
    lifetime.checkOpen();
    return required(listening, "listening").name();
  }

  @Override
  public void reject(ConnectionHandle request, byte[] data) {
    lifetime.checkOpen();
    required(request, "request");
    ConnectionMessage.checkData(data);
    PassiveTraffic present = listening;
    if (present == null || !(request instanceof ConnectionRequest own) || !own.isOf(present)) {
      throw invalid(request + " is not a request of " + this);
    }
    present.reject(own, data);
  }

  @Override
  public int connectionDataSize() {
    lifetime.checkOpen();
    return ConnectionMessage.MAX_DATA;
  }

  @Override
  protected synchronized void release() {
    PassiveTraffic present = listening;
    try {
      if (present != null) {
        present.close();
      }
    } finally {
      NetProgress own = engine;
      if (own != null) {
        own.close();
      }
    }
  }

  @Override
  public String toString() {
    PassiveTraffic present = listening;
    return "passive endpoint " + (present == null ? "being opened" : present.name());
  }
}
