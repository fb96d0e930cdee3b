// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.UnreportedEvents;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.ConnectionWatch;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.security.CutOffException;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The connection of an endpoint that has one in its life, and what is reported of it: either that
 * it is there and, once, that it has ended, or why it never came. Guarded by the lock of the
 * endpoint, but {@link #patience}.
 */
final class MsgConnection extends Connection.Owner {
  /** How far it is. */
  private enum Stage {
    /** Nobody was asked. */
    IDLE,
    /** The peer is to answer. */
    CONNECTING,
    /** Messages go both ways. */
    CONNECTED,
    /** It never came. */
    FAILED,
    /** It has ended. */
    ENDED
  }

  private static final byte[] NOTHING = {};

  private final FabricObject endpoint;
  // Events that are to be reported, or for which the queue had no room.
  private final UnreportedEvents unreported;
  private final MsgTransport traffic;
  private final ConnectionWatch watch;
  private final ConnectionMessage message = new ConnectionMessage();

  private Stage stage = Stage.IDLE;
  private @Nullable Connection connection;
  private long deadline = Long.MAX_VALUE;
  private byte[] request = NOTHING;

  // Why what is posted ends; null as long as it does not.
  private @Nullable String over;
  private Errno whyReceivesFail = Errno.ECANCELED;

  MsgConnection(
      ConnectionSettings settings, Events events, MsgTransport traffic, Security security) {
    super(traffic.endpoint.mover(), security);
    endpoint = settings.endpoint();
    watch = new ConnectionWatch(settings.peerTimeout(), ConnectionSettings.NEVER, this, null);
    unreported = new UnreportedEvents(events);
    this.traffic = traffic;
  }

  // Calls of the application.

  /** Asks a peer, over a channel that is bound. */
  void connect(SocketChannel channel, InetSocketAddress to, byte[] data, long timeout) {
    checkIdle();
    Connection opened;
    try {
      opened = connection(channel, to, Connection.State.CONNECTING);
    } catch (IOException refused) {
      throw new FabricException(
          Errno.EINVAL, "no connection to " + to + ": " + refused.getMessage(), refused);
    }
    add(opened, to);
    stage = Stage.CONNECTING;
    request = data;
    deadline = now() + timeout;
    dueAt(deadline);
    try {
      if (opened.connect(to)) {
        ask(opened);
      }
    } catch (IOException | RuntimeException failed) {
      lost(opened, failed);
    }
    mover.settle(opened);
  }

  void accept(ConnectionRequest wanted, byte[] data) {
    checkIdle();
    Connection asked = wanted.connection;
    Connection accepted =
        new Connection(asked.channel(), asked.secure(), Connection.State.GREETING, this);
    add(accepted, wanted.peer);
    message.set(ConnectionMessage.Type.RESPONSE, data);
    try {
      wanted.checkSilent();
      message.writeTo(asked.out());
    } catch (IOException gone) {
      stage = Stage.FAILED;
      over = "the connection never came";
      discard(accepted);
      throw new FabricException(
          Errno.ECONNABORTED, wanted + " cannot be accepted: " + gone.getMessage(), gone);
    }
    accepted.opened(wanted.order, false, Agreement.NONE);
    connected(NOTHING);
    mover.settle(accepted);
  }

  private void checkIdle() {
    if (stage != Stage.IDLE) {
      throw new FabricException(
          Errno.EISCONN,
          endpoint + " has been connected before, and is once in its life: open another one");
    }
  }

  private void add(Connection added, InetSocketAddress to) {
    Peer peer = new Peer(0, 0, 0, Peers.NO_AUTH_KEY, to, new SenderAddress());
    added.peer = peer;
    peer.connection = added;
    connection = added;
  }

  void shutdown() {
    Connection present = connection;
    if (stage == Stage.CONNECTED && present != null) {
      present.finish();
      end(present, Errno.ECANCELED, "the connection was shut down");
    } else if (stage != Stage.ENDED) {
      throw notConnected("there is nothing to shut down");
    }
  }

  Peer peer() {
    Connection present = connection;
    Peer peer = present == null ? null : present.peer;
    if (stage != Stage.CONNECTED || peer == null) {
      throw notConnected("it has no peer");
    }
    return peer;
  }

  /** Where messages go; throws if they cannot. */
  Connection checkConnected() {
    Connection present = connection;
    if (stage == Stage.ENDED) {
      throw new FabricException(
          Errno.ESHUTDOWN, "the connection of " + endpoint + " has ended: open another endpoint");
    }
    if (stage != Stage.CONNECTED || present == null) {
      throw notConnected("messages can be sent once Event.Connected was reported");
    }
    return present;
  }

  private FabricException notConnected(String hence) {
    return new FabricException(
        Errno.ENOTCONN,
        endpoint
            + (stage == Stage.CONNECTING ? " is still connecting, and " : " is not connected, and ")
            + hence);
  }

  // What happens.

  @Override
  protected FrameHandler handler(Connection made) {
    return traffic.arrivals(made);
  }

  @Override
  protected void proceed(Connection active, int ready) throws IOException {
    switch (active.state()) {
      case CONNECTING -> {
        if (active.finishConnect()) {
          ask(active);
        }
      }
      case REQUESTED -> {
        answered(active);
        if (active.isOpen() && active.hasBuffered()) {
          mover.move(active, SelectionKey.OP_READ);
        }
      }
      case OPEN -> mover.move(active, ready);
      case GREETING, CLOSED -> {
        // There is nothing to do.
      }
    }
  }

  private void ask(Connection opened) throws IOException {
    message.set(ConnectionMessage.Type.REQUEST, request);
    message.writeTo(opened.out());
    opened.requested();
  }

  private void answered(Connection asked) throws IOException {
    if (!asked.readGreeting()) {
      return;
    }
    ConnectionMessage answer = asked.greeting();
    switch (answer.type()) {
      case RESPONSE -> {
        asked.opened(answer.order(), false, Agreement.NONE);
        connected(answer.data());
      }
      case REFUSAL -> fail(Errno.ECONNREFUSED, "it rejects the connection", answer.data());
      default -> throw new ProtocolException("something else came where an answer belongs");
    }
  }

  private void connected(byte[] data) {
    stage = Stage.CONNECTED;
    deadline = Long.MAX_VALUE;
    request = NOTHING;
    Connection open = connection;
    if (open != null) {
      watch.opened(open);
    }
    report(Event.Connected.of(endpoint, data));
  }

  private void fail(Errno errno, String reason, byte[] data) {
    Connection attempted = connection;
    stage = Stage.FAILED;
    deadline = Long.MAX_VALUE;
    over = "the connection never came: " + reason;
    if (attempted != null) {
      mover.totals().failed();
      String words = "no connection to " + attempted.peer + ": " + reason;
      discard(attempted);
      unreported.add(Event.Failure.of(endpoint, errno, words).errorData(data).build());
    }
  }

  @Override
  protected void ended(Connection broken, Throwable failed) {
    switch (broken.state()) {
      case OPEN -> {
        if (failed instanceof CutOffException) {
          // What has come may not be all, and nobody is to take it for that.
          whyReceivesFail = Errno.ECONNRESET;
        }
        mover.totals().lost();
        end(broken, Errno.ECONNRESET, "the connection is lost: " + failed.getMessage());
      }
      case CONNECTING, REQUESTED, GREETING ->
          fail(NetworkErrors.of(failed), String.valueOf(failed.getMessage()), NOTHING);
      case CLOSED -> {
        // It was lost before.
      }
    }
  }

  /**
   * Nothing goes over it any more. Receives are withdrawn later, when nothing else is under way,
   * and the event comes after that.
   *
   * @param begun why sends fail of which something is out
   */
  private void end(Connection open, Errno begun, String reason) {
    stage = Stage.ENDED;
    over = reason;
    mover.forget(open);
    Operations<Send> untouched = new Operations<>();
    open.close(untouched, begun, reason);
    for (Send send = untouched.poll(); send != null; send = untouched.poll()) {
      send.owner().fail(send, Errno.ECANCELED, reason);
    }
    unreported.add(Event.Shutdown.of(endpoint));
  }

  /** Withdraws what nothing comes for any more, and reports what is to be reported. */
  void afterwards() {
    String reason = over;
    TcpReceiver receives = traffic.receiver();
    if (reason != null && receives != null) {
      receives.context().failAll(whyReceivesFail, reason);
    }
    reportKept();
  }

  private void report(Event event) {
    unreported.add(event);
    reportKept();
  }

  private void reportKept() {
    if (!unreported.report()) {
      dueAt(now() + TcpLimits.LONGEST_PAUSE);
    }
  }

  // Time.

  @Override
  protected void tick(long now) {
    if (stage == Stage.CONNECTED) {
      watch.tick(now);
    }
    if (now >= deadline) {
      fail(Errno.ETIMEDOUT, "it does not answer", NOTHING);
    } else if (deadline != Long.MAX_VALUE) {
      dueAt(deadline);
    }
  }

  @Override
  public void close(Trouble trouble) {
    mover.end(trouble);
    unreported.drop(_ -> true);
  }
}
