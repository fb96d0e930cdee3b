package org.ofi4j.provider.net.tcp;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.av.CoreAddressVector;

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
 * <p>They are left out of the request, so that a key is recognised where addresses are translated
 * on the way, and it can be said that this is the trouble. Guarded by the lock of the endpoint.
 */
final class KeyDialogue {
  private static final int ADDRESS = 18;
  private static final int ADDRESSES = 2 * ADDRESS;
  private static final int MAPPED = 10;
  private static final int HOST = 16;

  /** The number of no key. */
  static final int NO_KEY = CoreAddressVector.NO_AUTH_KEY;

  private final KeyProofs proofs;
  private final ByteBuffer said =
      ByteBuffer.allocate(ADDRESSES + KeyStep.values().length * ConnectionMessage.MAX_SIZE);
  private KeyStep step = KeyStep.REQUEST;
  private boolean over;

  // Not known to who is asked before the request has come.
  private int key;

  /**
   * A dialogue in which nothing has been said.
   *
   * @param key the number of the key that is meant; {@link #NO_KEY} for who is asked
   * @param requester the address of the end from which the connection was opened
   * @param acceptor the address of the other end
   */
  KeyDialogue(
      KeyProofs proofs,
      int key,
      @Nullable SocketAddress requester,
      @Nullable SocketAddress acceptor) {
    this.proofs = proofs;
    this.key = key;
    put(requester);
    put(acceptor);
  }

  private void put(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress internet)) {
      throw new IllegalStateException("a connection without address: " + address);
    }
    int start = said.position();
    byte[] host = internet.getAddress().getAddress();
    if (internet.getAddress() instanceof Inet4Address) {
      said.position(start + MAPPED).putShort((short) 0xFFFF);
    }
    said.put(host).position(start + HOST).putShort((short) internet.getPort());
  }

  /** Whose message is next, and what. */
  KeyStep step() {
    return step;
  }

  /** Whether both sides have proven what they had to. */
  boolean isOver() {
    return over;
  }

  /** The number of the key that both sides mean; {@link #NO_KEY} if we hold none that is meant. */
  int key() {
    return key;
  }

  /** The key part of the message that is next: with a nonce if there is one, and without proof. */
  byte[] keyPart() {
    return proofs.keyPart(step);
  }

  /**
   * Ends a message of ours with its proof.
   *
   * @param message holds it, from the first byte to the limit
   */
  void seal(ByteBuffer message) {
    int size = message.limit();
    message.put(size - step.tag(), tag(key, message, size));
    heard(message, size);
  }

  /**
   * Finds out which key a request means.
   *
   * @return whether it is one that we hold
   */
  boolean recognise(ByteBuffer message, int size) {
    // All are looked at, whether the first is it or the last.
    for (int i = 0; i < proofs.count(); i++) {
      if (isProven(proofs.number(i), message, size)) {
        key = proofs.number(i);
      }
    }
    heard(message, size);
    return key != NO_KEY;
  }

  /** Whether a message ends with the proof that belongs there. */
  boolean verify(ByteBuffer message, int size) {
    boolean proven = key != NO_KEY && isProven(key, message, size);
    heard(message, size);
    return proven;
  }

  private boolean isProven(int candidate, ByteBuffer message, int size) {
    byte[] its = new byte[step.tag()];
    message.get(size - its.length, its);
    return MessageDigest.isEqual(its, tag(candidate, message, size));
  }

  private byte[] tag(int under, ByteBuffer message, int size) {
    int from = step == KeyStep.REQUEST ? ADDRESSES : 0;
    byte[] whole = proofs.hmac(under, step, said, from, message, size - step.tag());
    return Arrays.copyOf(whole, step.tag());
  }

  /** A message is said as a whole: all that follows depends on it. */
  private void heard(ByteBuffer message, int size) {
    said.put(said.position(), message, 0, size).position(said.position() + size);
    if (step == KeyStep.RESPONSE) {
      over = true;
    } else {
      step = step.next();
    }
  }
}
