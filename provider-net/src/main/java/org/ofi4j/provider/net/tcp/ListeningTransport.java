// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.PassiveTransport;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ProtocolException;

/** A passive endpoint that listens: connections come to it, and no messages. */
public final class ListeningTransport implements PassiveTransport, TcpEndpoint.Work {
  final TcpEndpoint endpoint;
  private final ConnectionRequests requests;

  /** Rejects frames, which only an endpoint that has accepted the request may receive. */
  static final FrameHandler NO_FRAMES =
      _ -> {
        throw new ProtocolException("a frame came to a passive endpoint");
      };

  // Of automatic progress, closed with the endpoint; null if the event queue closes it.
  private final @Nullable NetProgress engine;

  /**
   * Opens an endpoint that listens, and takes connections when its data is moved.
   *
   * @param resources of the fabric; their thread moves the data if progress is automatic
   * @param source the endpoint of the application
   */
  public static ListeningTransport open(
      NetResources resources,
      PassiveEndpoint source,
      FabricInfo info,
      Events events,
      PassiveOptions options) {
    ProgressThread thread = resources.progressThread();
    Selector own = null;
    LocalSocket<ServerSocketChannel> socket = null;
    NetProgress engine = null;
    try {
      own = thread == null ? Selector.open() : null;
      engine =
          thread == null
              ? (NetProgress) events.drive(ManualProgress::new)
              : new AutomaticProgress(thread);
      socket = Listener.socket(info, info);
      ListeningTransport opened =
          new ListeningTransport(resources, source, info, events, options, engine, socket, own);
      opened.endpoint.engines().begin();
      return opened;
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
      if (thread != null && engine != null) {
        engine.close();
      }
      throw failed;
    }
  }

  @SuppressWarnings("this-escape") // kept for later
  ListeningTransport(
      NetResources resources,
      PassiveEndpoint source,
      FabricInfo info,
      Events events,
      PassiveOptions options,
      NetProgress engine,
      LocalSocket<ServerSocketChannel> socket,
      @Nullable Selector own) {
    Staging.Pool pool = resources.staging();
    FabricAddress name = SocketAddresses.inFormat(socket.name(), info.addressFormat());
    endpoint = new TcpEndpoint(name, this, Stream.of(engine), own, pool, null);
    this.engine = resources.progressThread() == null ? null : engine;
    Security security = new Security(options.security(), pool);
    requests = new ConnectionRequests(this, source, info, events, options, socket, security);
  }

  @Override
  public void closed() {
    if (engine != null) {
      engine.close();
    }
  }

  @Override
  public FabricAddress name() {
    return endpoint.name();
  }

  @Override
  public void close() {
    endpoint.close();
  }

  @Override
  public String toString() {
    return endpoint.toString();
  }

  @Override
  public int connectionDataSize() {
    return ConnectionMessage.MAX_DATA;
  }

  @Override
  public ConnectionRequests connections() {
    return requests;
  }

  /** Lets go of a connection that stays open. */
  void release(Connection connection) throws IOException {
    endpoint.readiness().release(connection);
    // A thread in the selector must deregister the channel too.
    endpoint.mover().forget(connection);
    endpoint.mover().dueSooner();
  }

  void claim(ConnectionRequest request) {
    if (request.fate != ConnectionRequest.Fate.WAITING) {
      request.checkWaiting();
    }
    endpoint.lock();
    try {
      requests.claim(request);
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, request + " cannot be accepted: " + failed, failed);
    } finally {
      endpoint.unlock();
    }
  }

  @Override
  public void reject(ConnectionHandle handle, byte[] data) {
    if (!(handle instanceof ConnectionRequest request) || !request.isOf(this)) {
      throw invalid(handle + " is not a request of " + this);
    }
    endpoint.lock();
    try {
      if (request.fate != ConnectionRequest.Fate.GONE) {
        requests.reject(request, data);
      }
    } finally {
      endpoint.unlock();
    }
  }
}
