// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.nio.file.Path;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.PemFiles;

/**
 * TLS 1.3 for the connections of an endpoint over TCP. Both sides show a certificate, and accept
 * each other only if an authority that they trust has signed it. Has no counterpart in libfabric:
 * such an endpoint speaks with endpoints of ofi4j alone, and with no other that has none.
 *
 * <p>Unless {@link #anyHost} is asked for, a certificate must also name the host address that its
 * owner is reached at or connects from, as an IP address among its subject alternative names.
 * Without that, whoever has a certificate may take the address of another one who has.
 *
 * <p>Immutable; safe to use from any thread and for any number of endpoints.
 *
 * {@snippet class="examples.Connections" region="security"}
 */
public final class TransportSecurity {
  private static final String PROTOCOL = "TLSv1.3";

  private final SSLContext context;
  private final boolean hostsChecked;

  private TransportSecurity(SSLContext context, boolean hostsChecked) {
    this.context = context;
    this.hostsChecked = hostsChecked;
  }

  /**
   * Security by a context of the application: its keys, whom it trusts, where its random numbers
   * come from.
   *
   * @param context an initialised context that has TLS 1.3
   * @return security that checks hosts
   * @throws FabricException with {@link Errno#EINVAL} if the context is not initialised, or has no
   *     TLS 1.3
   */
  public static TransportSecurity of(SSLContext context) {
    Arguments.required(context, "context");
    String[] protocols;
    try {
      protocols = context.getSupportedSSLParameters().getProtocols();
    } catch (IllegalStateException | UnsupportedOperationException early) {
      throw new FabricException(
          Errno.EINVAL, "context is not initialised: call its init with keys and trust", early);
    }
    if (!Arrays.asList(protocols).contains(PROTOCOL)) {
      throw new FabricException(
          Errno.EINVAL,
          "context has "
              + String.join(", ", protocols)
              + " and not "
              + PROTOCOL
              + ", without which no connection is made: take another provider of TLS");
    }
    return new TransportSecurity(context, true);
  }

  /**
   * Security by three files in PEM. They are read once, now.
   *
   * @param certificates the endpoint's own certificate, then those that lead from it to an
   *     authority
   * @param privateKey its key in PKCS #8, not encrypted ({@code BEGIN PRIVATE KEY})
   * @param authorities certificates of those whose signature is trusted
   * @return security that checks hosts
   * @throws FabricException with {@link Errno#ENOENT} or {@link Errno#EACCES} for a file that is
   *     missing or may not be read; {@link Errno#EINVAL} for one that holds something else, a key
   *     that is not that of the certificate, or a certificate that is out of date
   */
  public static TransportSecurity pem(Path certificates, Path privateKey, Path authorities) {
    return of(
        PemFiles.context(
            Arguments.required(certificates, "certificates"),
            Arguments.required(privateKey, "privateKey"),
            Arguments.required(authorities, "authorities")));
  }

  /**
   * The same security without a look at hosts: any certificate that a trusted authority has signed
   * is good at any address.
   *
   * @return security that does not check hosts
   */
  public TransportSecurity anyHost() {
    return new TransportSecurity(context, false);
  }

  /** {@return where keys, trust and algorithms come from} */
  public SSLContext context() {
    return context;
  }

  /**
   * {@return whether certificates must name the host that shows them; false after {@link #anyHost}}
   */
  public boolean checksHosts() {
    return hostsChecked;
  }

  @Override
  public String toString() {
    return "TLS with certificates on both sides" + (hostsChecked ? "" : ", of any host");
  }
}
