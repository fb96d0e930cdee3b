// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.UnreportedEvents;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeEventQueue;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * The connection of an endpoint that has one in its life, and what is reported of it: either that
 * it is there and, once, that it has ended, or why it never came. Guarded by the lock of the
 * domain.
 */
public final class Connection implements EventTarget {
  /** What goes over the connection. */
  public interface Traffic {
    /** Messages go both ways from now on. */
    void connected();

    /** Nothing goes over it any more: lets go of libfabric's endpoint. */
    void disconnected();

    /**
     * Reports what has become of all that was posted, as far as there is room.
     *
     * @return whether that is all
     */
    boolean settle();
  }

  /** How far it is. */
  private enum Stage {
    /** Nobody was asked. */
    IDLE,
    /** The peer is to answer, or the answer is on its way. */
    CONNECTING,
    /** Messages go both ways. */
    CONNECTED,
    /** It never came. */
    FAILED,
    /** It has ended. */
    ENDED
  }

  /** {@code EAFNOSUPPORT}. */
  private static final int OTHER_FAMILY = 97;

  private static final int CLOSED = Errno.ECONNRESET.number();

  /**
   * What is said of a connection that never came: EPERM, ENOMEM, EACCES, ENOPROTOOPT,
   * EPROTONOSUPPORT, EADDRINUSE to ENETRESET, ECONNABORTED, ECONNRESET, ENOBUFS, ETIMEDOUT to
   * EHOSTUNREACH. If the other side has closed it, fabrics say whatever was in {@code errno}.
   */
  private static final Set<Integer> SAID =
      Set.of(1, 12, 13, 92, 93, 98, 99, 100, 101, 102, 103, 104, 105, 110, 111, 112, 113);

  private static final byte[] NOTHING = {};

  private final FabricObject endpoint;
  private final EventReader reader;
  private final NativeEndpoint object;
  private final Traffic traffic;
  private final UnreportedEvents unreported;

  private Stage stage = Stage.IDLE;
  private boolean accepts;
  private boolean shutDownHere;
  private String reason = "";
  private long deadline;

  /** What is reported when everything that was posted is; null as long as that goes on. */
  private @Nullable Event last;

  /**
   * An endpoint that was opened.
   *
   * @param object libfabric's endpoint
   */
  public Connection(
      FabricObject endpoint,
      Events events,
      EventReader reader,
      NativeEndpoint object,
      Traffic traffic) {
    this.endpoint = endpoint;
    this.reader = reader;
    this.object = object;
    this.traffic = traffic;
    unreported = new UnreportedEvents(events);
    reader.add(object, this);
  }

  // Calls of the application.

  /**
   * Asks a peer.
   *
   * @param timeout how long that has to answer, in nanoseconds
   */
  public void connect(byte[] address, byte[] data, long timeout) {
    checkIdle();
    int errno = object.connect(address, data);
    if (errno == -Errno.EINVAL.number() || errno == -OTHER_FAMILY) {
      throw new FabricException(
          Errno.EINVAL, "libfabric does not connect %s with such an address".formatted(endpoint));
    }
    begin(timeout);
    if (errno < 0) {
      fail(-errno, 0, null, NOTHING);
    }
  }

  /** Accepts the request that the endpoint was opened for. */
  public void accept(NativeConnectionRequest request, byte[] data, long timeout) {
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
    request.accepted();
    accepts = true;
    begin(timeout);
    // Some fabrics answer only now.
    reader.moveNow();
  }

  private void begin(long timeout) {
    stage = Stage.CONNECTING;
    deadline = System.nanoTime() + timeout;
    reader.attend(this);
  }

  private void checkIdle() {
    if (stage != Stage.IDLE) {
      throw new FabricException(
          Errno.EISCONN,
          endpoint + " has been connected before, and is once in its life: open another one");
    }
  }

  /** Ends the connection from here; does nothing if it has ended. */
  public void shutdown() {
    if (stage == Stage.CONNECTED) {
      shutDownHere = true;
      object.shutdown();
      end("the connection was shut down");
      reader.moveNow();
    } else if (stage != Stage.ENDED) {
      throw notConnected("there is nothing to shut down");
    }
  }

  /** Whether nothing comes over it any more. */
  public boolean isOver() {
    return stage == Stage.FAILED || stage == Stage.ENDED;
  }

  /**
   * Returns why an operation fails that the end of the connection has cut off; null if it has not
   * ended.
   *
   * @param sent whether the operation was posted to libfabric, and may have arrived
   */
  public @Nullable FabricException cutOff(boolean sent) {
    return isOver() ? new FabricException(cutOffErrno(sent), reason) : null;
  }

  /** Returns the errno of an operation that the end of the connection has cut off or will. */
  public Errno cutOffErrno(boolean sent) {
    return sent && !shutDownHere ? Errno.ECONNRESET : Errno.ECANCELED;
  }

  /** Refuses to send what cannot be sent. */
  public void checkConnected() {
    if (stage == Stage.ENDED) {
      throw new FabricException(
          Errno.ESHUTDOWN, "the connection of " + endpoint + " has ended: open another endpoint");
    }
    if (stage != Stage.CONNECTED) {
      throw notConnected("messages can be sent once Event.Connected was reported");
    }
  }

  /** Refuses to name the peer of none. */
  public void checkHasPeer() {
    if (stage != Stage.CONNECTED) {
      throw notConnected("it has no peer");
    }
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
  public void happened(NativeEventQueue.Event event) {
    switch (event.code()) {
      case Constants.CONNECTED -> {
        if (stage == Stage.CONNECTING) {
          stage = Stage.CONNECTED;
          traffic.connected();
          unreported.add(Event.Connected.of(endpoint, accepts ? NOTHING : event.data()));
        }
      }
      case Constants.SHUTDOWN -> lost(CLOSED, event);
      case 0 -> lost(SAID.contains(event.errno()) ? event.errno() : CLOSED, event);
      default -> {
        // Nothing that an endpoint is told.
      }
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
    traffic.disconnected();
  }

  /** Has nobody told of an endpoint any more that libfabric has let go of. */
  public void released() {
    reader.remove(object, this);
    reader.attend(this);
  }

  @Override
  public long attend(long now) {
    if (stage == Stage.CONNECTING && now - deadline >= 0) {
      fail(Errno.ETIMEDOUT.number(), 0, "it does not answer (connectTimeout)", NOTHING);
    }
    // First that it has come, which some wait for before they make room for other things.
    boolean reported = unreported.report();
    boolean settled = !isOver() || traffic.settle();
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

  /** The endpoint is closed: nobody is told of anything any more. */
  public void close() {
    reader.remove(object, this);
  }
}
