// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * Makes the connections of an endpoint secure, if it wants that.
 *
 * @param wanted what the application wants, or null for connections in the clear
 * @param executor does the handshakes; null for the threads of the process
 */
public record Security(
    @Nullable TransportSecurity wanted, Staging.Pool pool, @Nullable Executor executor) {
  private static final String[] PROTOCOLS = {"TLSv1.3"};

  // Looks into the certificate for the host, as RFC 2818 says.
  private static final String HOSTS = "HTTPS";

  /** The security of an endpoint whose handshakes the threads of the process do. */
  public Security(@Nullable TransportSecurity wanted, Staging.Pool pool) {
    this(wanted, pool, null);
  }

  /**
   * TLS over a connection.
   *
   * @param peer the other side's host, and the port that it listens on if this side connects
   * @param connects whether this side opens the connection
   * @return null if it is to be in the clear
   * @throws SSLException if TLS cannot be set up; the channel stays open
   */
  public @Nullable SecureChannel over(
      SocketChannel channel, InetSocketAddress peer, boolean connects) throws SSLException {
    TransportSecurity its = wanted;
    if (its == null) {
      return null;
    }
    try {
      return secured(its, channel, peer, connects);
    } catch (RuntimeException unusable) {
      // The context is the application's, and may throw anything.
      throw new SSLException("TLS cannot be set up: " + unusable.getMessage(), unusable);
    }
  }

  private SecureChannel secured(
      TransportSecurity its, SocketChannel channel, InetSocketAddress peer, boolean connects) {
    InetAddress host = peer.getAddress();
    SSLEngine engine = its.context().createSSLEngine(PeerCertificate.name(host), peer.getPort());
    engine.setUseClientMode(connects);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setProtocols(PROTOCOLS);
    parameters.setNeedClientAuth(true);
    if (its.checksHosts()) {
      parameters.setEndpointIdentificationAlgorithm(HOSTS);
    }
    engine.setSSLParameters(parameters);
    SecureHandshake handshake =
        new SecureHandshake(engine, its.checksHosts() ? host : null, pool, executor);
    return new SecureChannel(channel, engine, handshake, pool);
  }
}
