package org.ofi4j.core.share;

/**
 * SHA-256 of a few bytes, as FIPS 180-4 has it: of the names in files, which are not secret. A JVM
 * that has not looked for the provider of a {@link java.security.MessageDigest} yet would take
 * longer for that than for opening a vector.
 */
final class Sha256 {
  private static final int BLOCK = 64;

  /** A block ends with a bit and the length, in bits, of all. */
  private static final int ENDING = 1 + Long.BYTES;

  private static final int[] ROUNDS = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
  };

  private final int[] state = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
  };

  private final int[] words = new int[ROUNDS.length];

  private Sha256() {}

  /** The 32 bytes of the digest. */
  static byte[] of(byte[] bytes) {
    byte[] padded = new byte[(bytes.length + ENDING + BLOCK - 1) / BLOCK * BLOCK];
    System.arraycopy(bytes, 0, padded, 0, bytes.length);
    padded[bytes.length] = (byte) 0x80;
    long bits = 8L * bytes.length;
    for (int i = 0; i < Long.BYTES; i++) {
      padded[padded.length - 1 - i] = (byte) (bits >>> (8 * i));
    }
    Sha256 digest = new Sha256();
    for (int at = 0; at < padded.length; at += BLOCK) {
      digest.add(padded, at);
    }
    return digest.bytes();
  }

  private void add(byte[] block, int from) {
    for (int i = 0; i < 16; i++) {
      int word = 0;
      for (int j = 0; j < Integer.BYTES; j++) {
        word = word << Byte.SIZE | Byte.toUnsignedInt(block[from + Integer.BYTES * i + j]);
      }
      words[i] = word;
    }
    for (int i = 16; i < words.length; i++) {
      int near = words[i - 2];
      int far = words[i - 15];
      words[i] =
          words[i - 16]
              + words[i - 7]
              + (rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3))
              + (rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10));
    }
    int a = state[0];
    int b = state[1];
    int c = state[2];
    int d = state[3];
    int e = state[4];
    int f = state[5];
    int g = state[6];
    int h = state[7];
    for (int i = 0; i < words.length; i++) {
      int first =
          h
              + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25))
              + ((e & f) ^ (~e & g))
              + ROUNDS[i]
              + words[i];
      int second =
          (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    int[] next = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < state.length; i++) {
      state[i] += next[i];
    }
  }

  private static int rotated(int word, int by) {
    return Integer.rotateRight(word, by);
  }

  private byte[] bytes() {
    byte[] bytes = new byte[Integer.BYTES * state.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (state[i / Integer.BYTES] >>> (24 - 8 * (i % Integer.BYTES)));
    }
    return bytes;
  }
}
