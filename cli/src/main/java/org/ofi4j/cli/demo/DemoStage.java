// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.HostsFile;
import org.ofi4j.cli.peers.PeerLoader;
import org.ofi4j.cli.peers.VectorSession;

/** What the steps share: the vector, and from the third step on an endpoint and the other JVM. */
final class DemoStage implements AutoCloseable {
  /** Which of libfabric's providers is within a host. */
  static final String SHARED_MEMORY = "shm";

  private final DemoReport report;
  private final Terminal terminal;
  private final VectorSession session;
  private @Nullable DemoEndpoint endpoint;
  private @Nullable PeerProcess peer;

  DemoStage(DemoReport report, Terminal terminal) {
    this.report = report;
    this.terminal = terminal;
    VectorOptions options =
        VectorOptions.table()
            .withDuplicates(DuplicatePolicy.REJECT)
            .withResolutionTimeout(Duration.ofSeconds(2));
    session = VectorSession.open(hints(), PeerLoader.prefetching(options, hosts()));
  }

  /** Datagrams on the loopback interface, with all that tells who sent them. */
  static Hints hints() {
    return onLoopback(Hints.datagram(), 0)
        .withCapabilities(
            Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR, Capability.AV_USER_ID);
  }

  /**
   * Reliable messages on the loopback interface. Threads of the domains move them, so that either
   * side answers also while it waits for something else.
   *
   * @param port where to listen, 0 for any
   */
  static Hints reliableHints(int port) {
    return onLoopback(Hints.reliable(), port)
        .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR)
        .withProgress(Progress.AUTO);
  }

  private static Hints onLoopback(Hints hints, int port) {
    return hints.withAddressFormat(AddressFormat.SOCKADDR_IP).withSource("127.0.0.1:" + port);
  }

  /** Reliable messages of endpoints whose vector has a name. */
  static Hints sharingHints() {
    return reliableHints(0).withMoreCapabilities(Capability.SHARED_AV);
  }

  /** Reliable messages between those who hold the same authorization key. */
  static Hints keyedHints() {
    return reliableHints(0).withAuthKeys(AuthKeyHints.inVector(2));
  }

  /** Reliable messages over a provider, moved by those who wait for them. */
  static Hints fabricHints(String provider) {
    Hints hints =
        Hints.reliable()
            .withProvider(provider)
            .withCapabilities(Capability.MSG)
            .withProgress(Progress.MANUAL);
    return provider.equals(SHARED_MEMORY) ? hints : hints.withSource("127.0.0.1:0");
  }

  /** The names of the list: the demonstration asks no name server. */
  private static HostsFile hosts() {
    try (InputStream in = resource("hosts")) {
      return HostsFile.read(in, "data/hosts");
    } catch (IOException e) {
      throw new IllegalStateException("the hosts file in the jar is wrong", e);
    }
  }

  static InputStream resource(String name) {
    InputStream in = DemoStage.class.getResourceAsStream(name);
    if (in == null) {
      throw new IllegalStateException(name + " is missing in the jar");
    }
    return in;
  }

  DemoReport report() {
    return report;
  }

  Terminal terminal() {
    return terminal;
  }

  AddressVector vector() {
    return session.vector();
  }

  String provider() {
    return session.provider();
  }

  /** The endpoint with the vector; opened when first asked for. */
  DemoEndpoint endpoint() {
    if (endpoint == null) {
      endpoint = new DemoEndpoint(session.domain(), session.vector());
    }
    return endpoint;
  }

  /** The other JVM; started when first asked for. */
  PeerProcess peer() throws IOException, InterruptedException {
    if (peer == null) {
      peer = PeerProcess.start();
    }
    return peer;
  }

  @Override
  public void close() {
    if (peer != null) {
      peer.close();
    }
    if (endpoint != null) {
      endpoint.close();
    }
    session.close();
  }
}
