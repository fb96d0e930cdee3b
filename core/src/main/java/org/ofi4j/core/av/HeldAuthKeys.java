// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;

/**
 * The authorization keys that an endpoint took from its vector when it was opened, or a memory
 * region when it was registered: what came later is not among them (AV-158, AV-159), and what is
 * among them is not removed before this is closed (AV-133). A key is known by its number, which no
 * other key has as long as it is held.
 *
 * <p>Immutable but for {@link #close}; any thread may use it. Nothing here gives the bytes of a key
 * away.
 */
public final class HeldAuthKeys implements AutoCloseable {
  private final AuthKeys keys;
  private final FabricObject holder;
  private final int[] numbers;
  private boolean closed;

  HeldAuthKeys(AuthKeys keys, FabricObject holder, int[] numbers) {
    this.keys = keys;
    this.holder = holder;
    this.numbers = numbers;
  }

  /** How many keys there are, at least 1. */
  public int count() {
    return numbers.length;
  }

  /** The number of one of them, which ascends with the position from 0 to {@link #count} - 1. */
  public int number(int position) {
    return numbers[position];
  }

  /** Whether a key, or any other number, is among them. Allocates nothing. */
  public boolean contains(int number) {
    return Arrays.binarySearch(numbers, number) >= 0;
  }

  /** The handle of one of them, which {@code insertAuthKey} returned. */
  public long handle(int number) {
    return keys.handle(number);
  }

  /**
   * HMAC-SHA-256 under one of them. Nothing that was derived from the key is left behind.
   *
   * @param pieces what remains in each is read, one after the other
   * @return 32 bytes
   * @throws FabricException with {@link Errno#EINVAL} if it is not among them or this is closed
   */
  public synchronized byte[] hmac(int number, ByteBuffer... pieces) {
    // After that its number may be that of another key.
    if (closed || !contains(number)) {
      throw invalid(
          "%s does not hold authorization key %s%s"
              .formatted(holder, number, closed ? ": it has let all of them go" : ""));
    }
    return keys.hmac(number, pieces);
  }

  /** Lets the keys go. Closing again does nothing. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    keys.letGo(holder, numbers);
  }

  @Override
  public String toString() {
    return numbers.length + " authorization keys " + Arrays.toString(numbers) + " of " + holder;
  }
}
