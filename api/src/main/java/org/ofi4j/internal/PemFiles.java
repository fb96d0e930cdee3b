// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Certificates and keys as text, RFC 7468, as the context of TLS. */
public final class PemFiles {
  private static final String KEY = "PRIVATE KEY";
  private static final int BEGIN = "-----BEGIN ".length();
  private static final String PKCS8 = "write it with: openssl pkcs8 -topk8 -nocrypt";

  private static final PSSParameterSpec SHA256_PSS =
      new PSSParameterSpec(
          "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, PSSParameterSpec.TRAILER_FIELD_BC);

  private PemFiles() {}

  public static SSLContext context(Path certificates, Path privateKey, Path authorities) {
    List<X509Certificate> chain = certificates(certificates);
    X509Certificate own = chain.getFirst();
    checkDate(certificates, own);
    PrivateKey key = key(privateKey, own.getPublicKey());
    checkPair(privateKey, key, certificates, own.getPublicKey());
    try {
      return context(chain, key, certificates(authorities));
    } catch (GeneralSecurityException | IOException refused) {
      throw new FabricException(
          Errno.EINVAL,
          "TLS does not take "
              + certificates
              + ", "
              + privateKey
              + " and "
              + authorities
              + ": "
              + refused.getMessage(),
          refused);
    }
  }

  private static SSLContext context(
      List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authorities)
      throws GeneralSecurityException, IOException {
    // A store in memory wants a password all the same.
    char[] password = new BigInteger(128, new SecureRandom()).toString().toCharArray();
    KeyStore own = store();
    own.setKeyEntry("own", key, password, chain.toArray(Certificate[]::new));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, password);
    Arrays.fill(password, ' ');
    KeyStore trusted = store();
    for (int i = 0; i < authorities.size(); i++) {
      trusted.setCertificateEntry("authority" + i, authorities.get(i));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static KeyStore store() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static List<X509Certificate> certificates(Path file) {
    byte[] content = read(file);
    try {
      List<X509Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (!found.isEmpty()) {
        return found;
      }
    } catch (CertificateException malformed) {
      throw invalid(file, "holds no certificates in PEM: " + malformed.getMessage(), malformed);
    }
    throw invalid(file, "holds no certificate: BEGIN CERTIFICATE is expected", null);
  }

  private static void checkDate(Path file, X509Certificate own) {
    try {
      own.checkValidity();
    } catch (CertificateExpiredException | CertificateNotYetValidException outOfDate) {
      throw invalid(
          file,
          "holds a certificate that is good from "
              + own.getNotBefore().toInstant()
              + " to "
              + own.getNotAfter().toInstant()
              + ", and not now",
          outOfDate);
    }
  }

  private static PrivateKey key(Path file, PublicKey its) {
    byte[] content = read(file);
    byte[] encoded = {};
    try {
      encoded = block(file, content);
      return KeyFactory.getInstance(its.getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (GeneralSecurityException malformed) {
      // Not as the cause: nobody knows what it says of the key.
      throw invalid(
          file,
          "holds no key of algorithm " + its.getAlgorithm() + ", which the certificate has",
          null);
    } finally {
      Arrays.fill(content, (byte) 0);
      Arrays.fill(encoded, (byte) 0);
    }
  }

  /** What stands between the first BEGIN and its END; never as text, which nobody can clear. */
  private static byte[] block(Path file, byte[] content) {
    int begin = indexOf(content, "-----BEGIN ", 0);
    int nameEnd = begin < 0 ? -1 : indexOf(content, "-----", begin + BEGIN);
    int line = begin < 0 ? -1 : indexOf(content, "\n", begin);
    if (nameEnd < 0 || nameEnd > line) {
      // A name that does not end on its line would go on with the key.
      throw invalid(file, "holds no key in PEM: BEGIN PRIVATE KEY is expected", null);
    }
    String name = new String(content, begin + BEGIN, nameEnd - begin - BEGIN, US_ASCII);
    if (!name.equals(KEY)) {
      throw invalid(file, "holds a block \"" + name + "\", not \"" + KEY + "\"; " + PKCS8, null);
    }
    int end = indexOf(content, "-----END " + KEY + "-----", nameEnd);
    if (end < 0) {
      throw invalid(file, "ends before END PRIVATE KEY", null);
    }
    byte[] lines = Arrays.copyOfRange(content, nameEnd + 5, end);
    try {
      return Base64.getMimeDecoder().decode(lines);
    } catch (IllegalArgumentException malformed) {
      throw invalid(file, "is not in base 64 between BEGIN and END", null);
    } finally {
      Arrays.fill(lines, (byte) 0);
    }
  }

  private static int indexOf(byte[] content, String wanted, int from) {
    byte[] bytes = wanted.getBytes(US_ASCII);
    for (int at = from; at <= content.length - bytes.length; at++) {
      if (Arrays.equals(content, at, at + bytes.length, bytes, 0, bytes.length)) {
        return at;
      }
    }
    return -1;
  }

  private static void checkPair(Path keyFile, PrivateKey key, Path certificateFile, PublicKey its) {
    String algorithm =
        switch (its.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case String other -> other;
        };
    try {
      byte[] sample = "ofi4j".getBytes(US_ASCII);
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      setParameters(signer, its);
      signer.update(sample);
      byte[] signature = signer.sign();
      signer.initVerify(its);
      setParameters(signer, its);
      signer.update(sample);
      if (signer.verify(signature)) {
        return;
      }
    } catch (GeneralSecurityException mismatch) {
      // Said below, in words of our own.
    }
    throw invalid(keyFile, "holds a key that is not that of " + certificateFile, null);
  }

  /** Only RSASSA-PSS has parameters, without which it does not sign: its key's, or else any. */
  private static void setParameters(Signature signer, PublicKey its)
      throws GeneralSecurityException {
    if (its instanceof RSAKey rsa && its.getAlgorithm().equals("RSASSA-PSS")) {
      AlgorithmParameterSpec bound = rsa.getParams();
      signer.setParameter(bound == null ? SHA256_PSS : bound);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException missing) {
      throw new FabricException(Errno.ENOENT, file + " does not exist", missing);
    } catch (AccessDeniedException denied) {
      throw new FabricException(Errno.EACCES, file + " may not be read", denied);
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, file + " cannot be read: " + failed, failed);
    }
  }

  private static FabricException invalid(Path file, String what, @Nullable Throwable cause) {
    return cause == null
        ? new FabricException(Errno.EINVAL, file + " " + what)
        : new FabricException(Errno.EINVAL, file + " " + what, cause);
  }
}
