// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * Random numbers that nobody can foresee, a few at a time. They come from the system's own source
 * where it has one as a file: until a JVM has found the provider of its {@link SecureRandom}, it
 * could have opened another vector. Any thread may ask.
 */
public final class SystemRandom {
  private static final String SOURCE = "/dev/urandom";

  private SystemRandom() {}

  /** Any number of all there are. */
  public static long nextLong() {
    return ByteBuffer.wrap(bytes(Long.BYTES)).getLong();
  }

  public static byte[] bytes(int count) {
    try (FileInputStream source = new FileInputStream(SOURCE)) {
      byte[] bytes = source.readNBytes(count);
      if (bytes.length == count) {
        return bytes;
      }
    } catch (IOException none) {
      // The JDK knows where else to ask.
    }
    byte[] bytes = new byte[count];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }
}
