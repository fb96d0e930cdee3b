// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/** The keys of another manager; somebody is told when they are asked for. */
final class ForwardingKeys extends X509ExtendedKeyManager {
  private final X509ExtendedKeyManager real;
  private final Runnable asked;

  ForwardingKeys(X509ExtendedKeyManager real, Runnable asked) {
    this.real = real;
    this.asked = asked;
  }

  @Override
  public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
    asked.run();
    return real.chooseEngineClientAlias(types, issuers, engine);
  }

  @Override
  public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
    asked.run();
    return real.chooseEngineServerAlias(type, issuers, engine);
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return real.getClientAliases(type, issuers);
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    return real.chooseClientAlias(types, issuers, socket);
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return real.getServerAliases(type, issuers);
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    return real.chooseServerAlias(type, issuers, socket);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return real.getCertificateChain(alias);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    asked.run();
    return real.getPrivateKey(alias);
  }
}
