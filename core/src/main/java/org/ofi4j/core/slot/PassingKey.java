// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.SecretKey;

/**
 * An authorization key on its way into a computation. All copies of its bytes that were given away
 * are cleared as soon as they have been used. For one thread.
 */
public final class PassingKey implements SecretKey, AutoCloseable {
  private static final long serialVersionUID = 1L;

  private final transient byte[] bytes;
  private final transient List<byte[]> given = new ArrayList<>();

  public PassingKey(MemorySegment key) {
    bytes = key.toArray(JAVA_BYTE);
  }

  @Override
  public String getAlgorithm() {
    return "HmacSHA256";
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  /**
   * A new copy each time: who asks may clear it, and somebody else be asked after that. The JDK
   * does so with its security providers, until one of them takes the key.
   */
  @Override
  public byte[] getEncoded() {
    byte[] copy = bytes.clone();
    given.add(copy);
    return copy;
  }

  @Override
  public void close() {
    Arrays.fill(bytes, (byte) 0);
    given.forEach(copy -> Arrays.fill(copy, (byte) 0));
  }

  @Override
  public String toString() {
    return "authorization key";
  }

  private void writeObject(ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException("authorization keys are written nowhere");
  }
}
