// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.nio.ByteBuffer;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;

/**
 * Authorization keys of a vector that an endpoint or a memory region holds: they stay until this is
 * closed, also if the application removes them. They are known by number. Any thread may call.
 */
public final class AuthKeys implements AutoCloseable {
  /** The number that stands for no authorization key. */
  public static final int NONE = Peers.NO_AUTH_KEY;

  private final HeldAuthKeys held;

  AuthKeys(HeldAuthKeys held) {
    this.held = held;
  }

  /**
   * Returns how many there are.
   *
   * @return the number of keys
   */
  public int count() {
    return held.count();
  }

  /**
   * Returns the number of one of them.
   *
   * @param position from 0 to {@link #count} - 1
   * @return the number of the key in its vector
   */
  public int number(int position) {
    return held.number(position);
  }

  /**
   * Returns whether one of them has a number.
   *
   * @param number the number of a key in its vector
   * @return true if the key is held
   */
  public boolean contains(int number) {
    return held.contains(number);
  }

  /**
   * Returns a proof of having a key: the HMAC of some bytes, with SHA-256.
   *
   * @param number of the key
   * @param pieces the bytes, one after the other
   * @return the proof, 32 bytes
   */
  public byte[] hmac(int number, ByteBuffer... pieces) {
    return held.hmac(number, pieces);
  }

  /** Lets go of them. */
  @Override
  public void close() {
    held.close();
  }
}
