// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Limits;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.cli.output.InstalledProviders;
import org.ofi4j.cli.peers.VectorSession;

/**
 * One run with one peer, as client or server. docs/internals/pingpong.md describes the protocol.
 * For one thread.
 *
 * <p>Unlike the C program it never waits for ever: a datagram that is lost ends the run.
 */
final class Pingpong {
  /**
   * The longest datagram of the C program's udp provider. Both sides derive the sizes of a run from
   * it, so it holds for datagrams here too, although longer ones could be sent.
   */
  private static final int LONGEST_DATAGRAM = 1472;

  private static final int COUNT_LENGTH = 10;
  private static final long CHECK_PEER_NANOS = 100_000_000;

  private final PingpongOptions options;
  private final Consumer<String> trace;

  /** A run that tells each step in words. */
  public Pingpong(PingpongOptions options, Consumer<String> trace) {
    this.options = options;
    this.trace = trace;
  }

  /** What a run tells on the way. */
  public interface Listener {
    void begun(String provider, FabricAddress local, FabricAddress peer);

    void done(SizeResult result);
  }

  /**
   * Runs all sizes.
   *
   * @throws IOException if the other side cannot be reached, goes away, or sends what it should not
   */
  public void run(Listener listener) throws IOException {
    try (ControlConnection control = open()) {
      trace.accept("control connection " + control);
      FabricAddress peer = options.isClient() ? new EndpointNames(control, trace).receive() : null;
      FabricInfo info = info(control, peer);
      try (Fabric fabric = Fabrics.open(info)) {
        if (info.endpoint().type() != EndpointType.MSG) {
          exchangeNames(control, fabric, info, peer, listener);
        } else if (peer == null) {
          accept(control, fabric, info, listener);
        } else {
          connect(control, fabric, info, peer, listener);
        }
      }
    }
  }

  private void exchangeNames(
      ControlConnection control,
      Fabric fabric,
      FabricInfo info,
      @Nullable FabricAddress server,
      Listener listener)
      throws IOException {
    int longest = longest(info);
    try (Messenger messenger = new Messenger(fabric, info, null, longest)) {
      new EndpointNames(control, trace).send(messenger.address(), info.addressFormat());
      FabricAddress peer = server == null ? new EndpointNames(control, trace).receive() : server;
      messenger.peer(peer);
      exchange(control, messenger, info, peer, listener);
    }
  }

  private void accept(ControlConnection control, Fabric fabric, FabricInfo info, Listener listener)
      throws IOException {
    try (ConnectionEvents events = new ConnectionEvents(fabric, options.timeout());
        PassiveEndpoint passive = events.listen(info)) {
      new EndpointNames(control, trace).send(passive.address(), info.addressFormat());
      FabricInfo request = events.request().info();
      try (Messenger messenger = new Messenger(fabric, request, events.queue(), longest(request))) {
        messenger.connection().accept();
        events.connected();
        exchange(control, messenger, request, messenger.connection().peer(), listener);
      }
    }
  }

  private void connect(
      ControlConnection control,
      Fabric fabric,
      FabricInfo info,
      FabricAddress server,
      Listener listener)
      throws IOException {
    try (ConnectionEvents events = new ConnectionEvents(fabric, options.timeout());
        Messenger messenger = new Messenger(fabric, info, events.queue(), longest(info))) {
      messenger.connection().connect(server);
      events.connected();
      exchange(control, messenger, info, server, listener);
    }
  }

  private void exchange(
      ControlConnection control,
      Messenger messenger,
      FabricInfo info,
      FabricAddress peer,
      Listener listener)
      throws IOException {
    int longest = longest(info);
    trace.accept("messages between " + messenger.address() + " and " + peer);
    listener.begun(info.fabric().provider(), messenger.address(), peer);
    control.expectDifferentOptions();
    Exchange exchange = new Exchange(control, messenger, longest);
    for (int size : options.sizes(longest)) {
      listener.done(exchange.measure(size));
    }
    exchange.finish();
  }

  private ControlConnection open() throws IOException {
    Duration timeout = options.timeout();
    String host = options.host();
    if (host == null) {
      int port = orDefault(options.sourcePort());
      trace.accept("waiting for a client on port " + port);
      return ControlConnection.accept(port, options.ipv6(), timeout);
    }
    return ControlConnection.connect(
        host, orDefault(options.destinationPort()), options.sourcePort(), options.ipv6(), timeout);
  }

  private static int orDefault(int port) {
    return port == 0 ? ControlConnection.DEFAULT_PORT : port;
  }

  /**
   * Asks the providers for what the options want, as far as that is known before the other side is.
   *
   * @throws IOException if our address is a name that is not known
   */
  public void requireProvider() throws IOException {
    String given = options.sourceAddress();
    if (given != null) {
      VectorSession.best(from(InetAddress.getByName(given)));
    } else if (hasSocketAddresses()) {
      VectorSession.best(hintsForSockets());
    } else {
      VectorSession.best(hints());
    }
  }

  /** Whether addresses for messages are those of hosts, and not of the fabric alone. */
  private boolean hasSocketAddresses() {
    return options.provider() == null
        || !InstalledProviders.info(hintsForSockets()).offers().isEmpty();
  }

  private FabricInfo info(ControlConnection control, @Nullable FabricAddress peer)
      throws IOException {
    // The control connection's own address is one at which the peer reaches us.
    String given = options.sourceAddress();
    if (given == null && !hasSocketAddresses()) {
      return VectorSession.best(hints().withDestination(peer));
    }
    InetAddress source = given == null ? control.localAddress() : InetAddress.getByName(given);
    return VectorSession.best(from(source).withDestination(peer));
  }

  private Hints hintsForSockets() {
    return hints()
        .withAddressFormat(options.ipv6() ? AddressFormat.SOCKADDR_IN6 : AddressFormat.SOCKADDR_IN);
  }

  private Hints from(InetAddress source) {
    FabricAddress address = FabricAddress.of(new InetSocketAddress(source, 0));
    return hints().withSource(address).withAddressFormat(address.format());
  }

  private Hints hints() {
    Hints hints =
        Hints.latest()
            .withProvider(options.provider())
            .withDomain(options.domain())
            .withFabric(options.fabric())
            .withEndpointType(options.endpointType())
            .withCapabilities(options.tagged() ? Capability.TAGGED : Capability.MSG)
            .withProgress(Progress.MANUAL);
    return options.size() > 0
        ? hints.withLimits(Limits.none().withMaxMessageSize(options.size()))
        : hints;
  }

  private int longest(FabricInfo info) {
    long longest = Math.min(TestSizes.LONGEST, info.endpoint().maxMessageSize());
    if (options.size() >= 0) {
      return options.size();
    }
    return (int)
        (info.endpoint().type() == EndpointType.DGRAM
            ? Math.min(LONGEST_DATAGRAM, longest)
            : longest);
  }

  /** The exchange of messages, once both sides know each other. */
  private final class Exchange implements Messenger.Patience {
    private final ControlConnection control;
    private final Messenger messenger;
    private final IntegrityPattern pattern;
    private long lastCheck;
    private String waitingFor = "";

    Exchange(ControlConnection control, Messenger messenger, int longest) {
      this.control = control;
      this.messenger = messenger;
      this.pattern = new IntegrityPattern(longest);
    }

    SizeResult measure(int size) throws IOException {
      synchronize();
      messenger.size(size);
      Histogram roundTrips = new Histogram(3);
      long acknowledged = 0;
      long begin = System.nanoTime();
      long sentAt = begin;
      for (int i = 0; i < options.iterations(); i++) {
        if (options.isClient()) {
          sentAt = System.nanoTime();
          send(size);
          receive(size, i);
          roundTrips.recordValue(System.nanoTime() - sentAt);
        } else {
          receive(size, i);
          if (i > 0) {
            roundTrips.recordValue(System.nanoTime() - sentAt);
          }
          sentAt = System.nanoTime();
          send(size);
        }
        acknowledged++;
      }
      long nanos = System.nanoTime() - begin;
      return new SizeResult(
          size, options.iterations(), compareCounts(acknowledged), nanos, roundTrips);
    }

    /** The client asks, the server answers; then both begin. */
    private void synchronize() throws IOException {
      if (options.isClient()) {
        control.sendText("q");
        control.expectText("a", "its answer that it is ready too");
      } else {
        control.expectText("q", "the sign that it is ready");
        control.sendText("a");
      }
    }

    private void send(int size) throws IOException {
      if (options.verify()) {
        pattern.fill(messenger.output(), size);
      }
      waitingFor = "room to send";
      messenger.send(this);
    }

    private void receive(int size, int iteration) throws IOException {
      waitingFor = "message";
      MemorySegment message;
      try {
        message = messenger.receive(this);
      } catch (IOException e) {
        throw new IOException(
            e.getMessage() + " (iteration " + iteration + " of " + size + " bytes)", e);
      }
      if (options.verify()) {
        verify(message, size);
      }
      messenger.post(message);
    }

    private void verify(MemorySegment message, int size) throws IOException {
      long length = messenger.receivedLength();
      long mismatch = pattern.firstMismatch(message, size);
      if (length != size || mismatch >= 0) {
        throw new IOException(
            ("Error at iteration=%s size=%s %s: the data is not what was sent;"
                    + " do both sides have -c?")
                .formatted(
                    pattern.checked(),
                    size,
                    length != size ? "length=" + length : "byte=" + mismatch));
      }
    }

    /** The client says how many messages it received; decimal digits, filled up with zero bytes. */
    private long compareCounts(long acknowledged) throws IOException {
      if (options.isClient()) {
        byte[] digits = Long.toString(acknowledged).getBytes(StandardCharsets.US_ASCII);
        control.send(java.util.Arrays.copyOf(digits, COUNT_LENGTH));
        control.expectText("cnt ok", "its confirmation of our count");
        return acknowledged;
      }
      String text =
          new String(control.receive(COUNT_LENGTH, "its count"), StandardCharsets.US_ASCII);
      int end = text.indexOf('\0');
      String digits = end < 0 ? text : text.substring(0, end);
      if (!digits.matches("[0-9]{1,10}")) {
        throw new IOException("the other side sent \"" + digits + "\" where its count belongs");
      }
      control.sendText("cnt ok");
      return Long.parseLong(digits);
    }

    /** Both sides send a last message and wait for the other's. */
    void finish() throws IOException {
      waitingFor = "last message";
      messenger.sendText("fin", this);
      try {
        messenger.receive(this);
      } catch (PeerGoneException done) {
        // Its last message was lost, but it has had ours: nothing is left to do.
        trace.accept("the other side ended the test");
      }
    }

    @Override
    public void check(long waited) throws IOException {
      if (waited > options.timeout().toNanos()) {
        throw new IOException(
            ("no %s for %s s: a datagram was lost, the other side hangs, or it has another -I, -S"
                    + " or -c")
                .formatted(waitingFor, options.timeout().toSeconds()));
      }
      if (waited - lastCheck > CHECK_PEER_NANOS || waited < lastCheck) {
        lastCheck = waited;
        if (waited > CHECK_PEER_NANOS && control.isPeerGone()) {
          throw new PeerGoneException();
        }
      }
    }
  }

  /** The control connection was closed. */
  private static final class PeerGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    PeerGoneException() {
      super("the other side ended the test");
    }
  }
}
