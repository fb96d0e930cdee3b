// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.KeyStep;

/**
 * How the two ends of one connection show each other that they hold the same key, without saying
 * it. Each message of the dialogue ends with
 *
 * <pre>
 *   HMAC-SHA-256(key, label of the step | addresses | all messages before | this message so far)
 * </pre>
 *
 * <p>so that a proof is good for one place of one dialogue between two sockets: it cannot be said
 * again, sent back, passed on to others, or put behind another message. The addresses are those of
 * the two ends of the connection, the requester's first, 18 bytes each:
 *
 * <pre>
 *   offset 0  16 bytes host, IPv4 as ::ffff:a.b.c.d | u16 port, big-endian
 * </pre>
 *
 * <p>With TLS 32 bytes follow that its two ends alone know, so that who stands between two
 * connections cannot pass the dialogue on from one to the other, whatever certificates and
 * addresses he has.
 *
 * <p>All of that is left out of the request, so that a key is recognised where addresses are
 * translated on the way, and it can be said that this is the trouble; and so that it can be made
 * before the handshake of TLS is over. Guarded by the lock of the endpoint.
 */
public final class KeyDialogue implements ConnectionMessage.Proof {
  private static final int ADDRESS = 18;
  private static final int ADDRESSES = 2 * ADDRESS;
  private static final int MAPPED = 10;
  private static final int HOST = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The number of no key. */
  public static final int NO_KEY = Peers.NO_AUTH_KEY;

  private final KeyProofs proofs;
  private final byte[] addresses;
  private final @Nullable SecureChannel secure;
  private final ByteBuffer said =
      ByteBuffer.allocate(KeyStep.values().length * ConnectionMessage.MAX_SIZE);
  private KeyStep step = KeyStep.REQUEST;

  // Not known to who is asked before the request has come.
  private int key;

  /**
   * A dialogue in which nothing has been said.
   *
   * @param key the number of the key that is meant; {@link #NO_KEY} for who is asked
   * @param secure TLS between them, or null for a connection in the clear
   */
  public KeyDialogue(
      KeyProofs proofs,
      int key,
      @Nullable SocketAddress requester,
      @Nullable SocketAddress acceptor,
      @Nullable SecureChannel secure) {
    this.proofs = proofs;
    this.key = key;
    this.secure = secure;
    ByteBuffer both = ByteBuffer.allocate(ADDRESSES);
    put(requester, both);
    put(acceptor, both);
    addresses = both.array();
  }

  private static void put(@Nullable SocketAddress address, ByteBuffer into) {
    if (!(address instanceof InetSocketAddress internet)) {
      throw new IllegalStateException("a connection without address: " + address);
    }
    int start = into.position();
    byte[] host = internet.getAddress().getAddress();
    if (internet.getAddress() instanceof Inet4Address) {
      into.position(start + MAPPED).putShort((short) 0xFFFF);
    }
    into.put(host).position(start + HOST).putShort((short) internet.getPort());
  }

  /** Whose message is next, and what. */
  public KeyStep step() {
    return step;
  }

  /** The number of the key that both sides mean; {@link #NO_KEY} if we hold none that is meant. */
  public int key() {
    return key;
  }

  /** The key part of the message that is next: a new nonce if there is one, and no proof yet. */
  public byte[] keyPart() {
    byte[] nonce = new byte[step.nonce()];
    RANDOM.nextBytes(nonce);
    return Arrays.copyOf(nonce, step.keyPart());
  }

  /**
   * Ends a message of ours with its proof.
   *
   * @param message holds it, from the first byte to the limit
   */
  @Override
  public void seal(ByteBuffer message) throws IOException {
    message.put(message.limit() - step.tag(), tag(key, message));
    said(message);
  }

  /**
   * Finds out which key a request means.
   *
   * @param message holds it, from the first byte to the limit
   * @return whether it is one that we hold
   */
  public boolean recognise(ByteBuffer message) throws IOException {
    // All are looked at, whether the first is it or the last.
    for (int number : proofs.numbers()) {
      if (isProven(number, message)) {
        key = number;
      }
    }
    said(message);
    return key != NO_KEY;
  }

  /** Whether a message ends with the proof that belongs there. */
  public boolean verify(ByteBuffer message) throws IOException {
    boolean proven = key != NO_KEY && isProven(key, message);
    said(message);
    return proven;
  }

  private boolean isProven(int candidate, ByteBuffer message) throws IOException {
    byte[] its = new byte[step.tag()];
    message.get(message.limit() - its.length, its);
    return MessageDigest.isEqual(its, tag(candidate, message));
  }

  private byte[] tag(int under, ByteBuffer message) throws IOException {
    ByteBuffer before = said.slice(0, said.position());
    ByteBuffer open = message.slice(0, message.limit() - step.tag());
    ByteBuffer label = ByteBuffer.wrap(step.label());
    byte[] whole =
        step == KeyStep.REQUEST
            ? proofs.keys().hmac(under, label, before, open)
            : proofs.keys().hmac(under, label, ByteBuffer.wrap(addresses), binding(), before, open);
    return Arrays.copyOf(whole, step.tag());
  }

  private ByteBuffer binding() throws IOException {
    SecureChannel tls = secure;
    return tls == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(tls.binding());
  }

  /** A message is said as a whole: all that follows depends on it. */
  private void said(ByteBuffer message) {
    said.put(message.slice(0, message.limit()));
    if (step != KeyStep.RESPONSE) {
      step = step.next();
    }
  }
}
