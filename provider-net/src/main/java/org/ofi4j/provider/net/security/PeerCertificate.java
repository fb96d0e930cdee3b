// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.net.InetAddress;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What a peer's certificate has to say each time that it connects. The JDK asks the same in a full
 * handshake and only there: a session that is taken up again would be as good from another host as
 * from that of the certificate, and after its last day.
 */
final class PeerCertificate {
  private static final Integer IP_ADDRESS = 7;

  private PeerCertificate() {}

  /** A host as certificates name it: without the link that it is on. */
  static String name(InetAddress host) {
    String text = host.getHostAddress();
    int scope = text.indexOf('%');
    return scope < 0 ? text : text.substring(0, scope);
  }

  /**
   * Refuses a peer that shows none, or one that is out of date or of another host.
   *
   * @param host where the peer is; null for any host
   */
  static void check(SSLSession session, @Nullable InetAddress host)
      throws SSLPeerUnverifiedException {
    if (!(session.getPeerCertificates()[0] instanceof X509Certificate its)) {
      throw new SSLPeerUnverifiedException("the peer shows a certificate that is not X.509");
    }
    try {
      its.checkValidity();
    } catch (CertificateExpiredException | CertificateNotYetValidException outOfDate) {
      throw new SSLPeerUnverifiedException("the certificate of the peer is out of date");
    }
    if (host != null && !names(its, host)) {
      throw new SSLPeerUnverifiedException(
          "the certificate of the peer does not name its address " + name(host));
    }
  }

  private static boolean names(X509Certificate certificate, InetAddress host)
      throws SSLPeerUnverifiedException {
    Collection<List<?>> names;
    try {
      names = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException malformed) {
      throw new SSLPeerUnverifiedException("the certificate of the peer has malformed names");
    }
    return names != null
        && names.stream()
            .filter(name -> IP_ADDRESS.equals(name.getFirst()))
            .anyMatch(name -> is(host, String.valueOf(name.get(1))));
  }

  private static boolean is(InetAddress host, String literal) {
    try {
      // The JDK gives digits, which nobody is asked about.
      return Arrays.equals(host.getAddress(), InetAddress.ofLiteral(literal).getAddress());
    } catch (IllegalArgumentException noAddress) {
      return false;
    }
  }
}
