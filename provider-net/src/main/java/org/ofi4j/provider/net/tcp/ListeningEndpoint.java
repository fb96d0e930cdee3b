// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
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
import org.ofi4j.TransportSecurity;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.net.connection.ConnectionTimes;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointFabric;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.TcpLimits;

/** A passive endpoint over TCP. Binding, listening and closing take the monitor of the object. */
public final class ListeningEndpoint extends CoreObject implements PassiveEndpoint {
  private final EndpointFabric fabric;
  private volatile FabricInfo info;

  private @Nullable CoreEventQueue events;
  private int backlog = TcpLimits.REQUESTS;
  private long answerTimeout = TcpLimits.ANSWER_TIMEOUT;
  private @Nullable TransportSecurity security;

  // Of automatic progress, to be closed with the endpoint.
  private @Nullable NetProgress engine;

  // Written once; read without the monitor.
  private volatile @Nullable PassiveTraffic listening;

  public ListeningEndpoint(EndpointFabric fabric, FabricInfo info, @Nullable Object context) {
    super(context);
    this.fabric = fabric;
    this.info = info;
    lifetime.hold(fabric.lifetime());
  }

  /** One that listens: what options say is bound to it. */
  public static ListeningEndpoint open(
      EndpointFabric fabric, FabricInfo info, PassiveOptions options) {
    ListeningEndpoint opened = new ListeningEndpoint(fabric, info, options.context());
    try {
      if (options.events() != null) {
        opened.bind(options.events());
      }
      if (options.address() != null) {
        opened.name(options.address());
      }
      opened.backlog(options.backlog());
      opened.answerTimeout(options.answerTimeout());
      if (options.security() != null) {
        opened.secure(options.security());
      }
      opened.listen();
      return opened;
    } catch (RuntimeException | Error refused) {
      opened.close();
      throw refused;
    }
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a fabric is itself and no other
  public synchronized void bind(EventQueue queue) {
    lifetime.checkOpen();
    if (required(queue, "queue").fabric() != fabric) {
      throw invalid(queue + " is of " + queue.fabric() + ", but " + this + " of " + fabric);
    }
    if (events != null) {
      throw invalid(this + " has an event queue already");
    }
    if (!(queue instanceof CoreEventQueue own)) {
      throw invalid(queue + " is not of this provider");
    }
    lifetime.hold(own.lifetime());
    events = own;
  }

  @Override
  public synchronized void backlog(int requests) {
    lifetime.checkOpen();
    if (requests < 1 || requests > TcpLimits.MAX_REQUESTS) {
      throw invalid("backlog " + requests + ": must be 1 to " + TcpLimits.MAX_REQUESTS);
    }
    backlog = requests;
    PassiveTraffic present = listening;
    if (present != null) {
      present.backlog(requests);
    }
  }

  @Override
  public synchronized void answerTimeout(Duration timeout) {
    lifetime.checkOpen();
    long checked =
        ConnectionTimes.checked(timeout, 1, "must be more than nothing, or nobody is answered");
    if (listening != null) {
      throw invalid(this + " listens: say how long an answer may take before that");
    }
    answerTimeout = checked;
  }

  @Override
  public synchronized void secure(TransportSecurity wanted) {
    lifetime.checkOpen();
    required(wanted, "security");
    if (listening != null) {
      throw invalid(this + " listens: secure it before that");
    }
    security = wanted;
  }

  @Override
  public synchronized void listen() {
    lifetime.checkOpen();
    CoreEventQueue bound = events;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOEQ, this + " has no event queue: bind one before listening");
    }
    if (listening != null) {
      throw invalid(this + " listens already");
    }
    PassiveTraffic ready = open(bound);
    listening = ready;
    ready.join();
  }

  private PassiveTraffic open(CoreEventQueue bound) {
    boolean automatic = info.domain().progress() == Progress.AUTO;
    Selector own = null;
    try {
      own = automatic ? null : Selector.open();
      LocalSocket<ServerSocketChannel> socket = Listener.socket(info, info);
      NetProgress mover;
      if (automatic) {
        mover = new AutomaticProgress(fabric.progressThread());
        engine = mover;
      } else {
        mover = (NetProgress) bound.drive(ManualProgress::new);
      }
      ListeningSettings settings =
          new ListeningSettings(this, info, bound, security, backlog, answerTimeout);
      return new PassiveTraffic(settings, mover, socket, own, fabric.staging());
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector for the passive endpoint: " + failed + "; raise the limit of open files",
          failed);
    } catch (FabricException noAddress) {
      Quietly.close(own);
      throw noAddress;
    }
  }

  @Override
  public synchronized void name(FabricAddress address) {
    lifetime.checkOpen();
    required(address, "address");
    if (listening != null) {
      throw invalid(this + " listens: name it before that");
    }
    EndpointAddress.checkSource(address, info.addressFormat(), this);
    info = info.withSource(address);
  }

  private PassiveTraffic listening(String otherwise) {
    lifetime.checkOpen();
    PassiveTraffic present = listening;
    if (present == null) {
      throw new FabricException(Errno.EOPBADSTATE, this + " " + otherwise + ": listen first");
    }
    return present;
  }

  @Override
  public FabricAddress name() {
    return listening("has no name yet").name();
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
    return "passive endpoint " + (present == null ? "that does not listen" : present.name());
  }
}
