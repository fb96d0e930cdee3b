package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import javax.crypto.SecretKey;

/**
 * An authorization key on its way into a computation: one copy of its bytes, which are cleared as
 * soon as they have been used. For one thread.
 */
final class PassingKey implements SecretKey, AutoCloseable {
  private static final long serialVersionUID = 1L;

  private final transient byte[] bytes;

  PassingKey(MemorySegment key) {
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

  /** The bytes themselves: who asks may clear them, nobody else will need them again. */
  @Override
  public byte[] getEncoded() {
    return bytes;
  }

  @Override
  public void close() {
    Arrays.fill(bytes, (byte) 0);
  }

  @Override
  public String toString() {
    return "authorization key";
  }

  private void writeObject(ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException("authorization keys are written nowhere");
  }
}
