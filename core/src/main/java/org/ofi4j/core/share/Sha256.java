package org.ofi4j.core.share;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * SHA-256 (FIPS 180-4) of a text. The JDK's own is faster with long ones, but until a JVM has found
 * the provider of its first {@link java.security.MessageDigest} it could have opened a vector.
 */
final class Sha256 {
  private static final int WORDS = 16;
  private static final int BLOCK = WORDS * Integer.BYTES;

  /** The first 32 bits of the fractions of the square roots of the first 8 primes. */
  private static final int[] BEGIN = {
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19
  };

  /** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
  private static final int[] ROUNDS = {
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5,
    0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3,
    0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC,
    0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13,
    0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3,
    0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5,
    0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208,
    0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2
  };

  private final int[] state = BEGIN.clone();
  private final int[] schedule = new int[ROUNDS.length];

  private Sha256() {}

  /**
   * The digest of a text.
   *
   * @param text any text
   * @return 32 bytes, of its UTF-8
   */
  static byte[] of(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    // A bit, and the length in bits, in the last of so many blocks as that takes.
    int length = Math.ceilDiv(bytes.length + 1 + Long.BYTES, BLOCK) * BLOCK;
    byte[] padded = Arrays.copyOf(bytes, length);
    padded[bytes.length] = (byte) 0x80;
    long bits = (long) bytes.length * Byte.SIZE;
    for (int i = 0; i < Long.BYTES; i++) {
      padded[length - 1 - i] = (byte) (bits >>> (i * Byte.SIZE));
    }
    Sha256 digest = new Sha256();
    for (int start = 0; start < length; start += BLOCK) {
      digest.add(padded, start);
    }
    return digest.bytes();
  }

  private void add(byte[] bytes, int start) {
    int[] w = schedule;
    for (int i = 0; i < WORDS; i++) {
      int at = start + i * Integer.BYTES;
      w[i] =
          (bytes[at] << 24)
              | ((bytes[at + 1] & 0xFF) << 16)
              | ((bytes[at + 2] & 0xFF) << 8)
              | (bytes[at + 3] & 0xFF);
    }
    for (int i = WORDS; i < w.length; i++) {
      int early = w[i - 15];
      int late = w[i - 2];
      w[i] =
          w[i - WORDS]
              + (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3))
              + w[i - 7]
              + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
    }
    // The letters are those of the standard.
    int a = state[0];
    int b = state[1];
    int c = state[2];
    int d = state[3];
    int e = state[4];
    int f = state[5];
    int g = state[6];
    int h = state[7];
    for (int i = 0; i < w.length; i++) {
      int one =
          h
              + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25))
              + ((e & f) ^ (~e & g))
              + ROUNDS[i]
              + w[i];
      int two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + one;
      d = c;
      c = b;
      b = a;
      a = one + two;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }

  private static int turned(int word, int bits) {
    return Integer.rotateRight(word, bits);
  }

  private byte[] bytes() {
    byte[] bytes = new byte[state.length * Integer.BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (state[i / Integer.BYTES] >>> ((3 - i % Integer.BYTES) * Byte.SIZE));
    }
    return bytes;
  }
}
