// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress.SocketAddress4;

/**
 * One address in canonical form: what makes two addresses the same, and everything that a lookup
 * gives back. A mutable scratch object for one thread; the vector keeps its words, never itself.
 *
 * <p>Two addresses are the same when format, address, port and scope agree (D-16). The flow label
 * is kept for lookups but does not count, {@code sin_zero} is not kept (D-34), and text counts as
 * the address that it spells (D-25).
 *
 * <pre>
 *   kind    words that count                                     words that do not
 *   IPV4    0: 0 (16 bits) | address (32) | port (16)            none
 *   IPV6    0: first 8 bytes   1: last 8 bytes                   3: flow label
 *           2: scope (32) | 0 (16) | port (16)
 *   WIDE    the packed bytes, 8 each, the first highest;         flow label (InfiniBand),
 *           InfiniBand with its flow label cleared               pointer (EFA)
 *   TEXT    those of the address that it spells                  as there
 *   OPAQUE  none, the bytes count instead                        none
 *   KEYED   those of the address, then the number of a key;      as there
 *           of OPAQUE none, and four bytes more, the number
 * </pre>
 *
 * <p>KEYED is any of the others under an authorization key, which is known by a small number: the
 * same address under two keys, or under none, is not the same. Its format is that of the address
 * plus 128.
 *
 * <p>TEXT and OPAQUE carry bytes as well: the spelling or the address itself, text without its
 * terminating zero. A record, the form in which a vector keeps what is not IPv4, is
 *
 * <pre>
 *   offset 0   u8 kind | u8 format | u8 counting words | u8 words | u32 bytes   (one u64, native)
 *   offset 8   words, u64 each, native
 *   then       bytes, padded with zeros to a multiple of 8
 * </pre>
 */
public final class AddressKey {
  /** Shape of an address. */
  public enum Kind {
    /** No address yet. */
    EMPTY(0),
    /** IPv4: all of it is {@link AddressKey#ipv4}. */
    IPV4(1),
    /** IPv6. */
    IPV6(2),
    /** InfiniBand and provider formats of a fixed length. */
    WIDE(3),
    /** The caller's spelling of another kind's address. */
    TEXT(4),
    /** Bytes, or text of a fabric, that mean nothing here. */
    OPAQUE(5),
    /** Another kind's address under an authorization key. */
    KEYED(6);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  /** The most bytes of a spelling (without zero byte) or opaque address. */
  public static final int MAX_BYTES = 4096;

  static final int MAX_WORDS = 8;

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final Kind[] KINDS = Kind.values();
  private static final byte[] NO_BYTES = {};

  private static final int IPV4_FORMAT = AddressFormat.SOCKADDR_IN.number();
  private static final int IPV6_FORMAT = AddressFormat.SOCKADDR_IN6.number();
  private static final long PORT = 0xFFFF;

  private static final long HASH_INCREMENT = 0x9E37_79B9_7F4A_7C15L;
  private static final long HASH_MULTIPLIER = 0xD6E8_FEB8_6659_FD93L;

  private static final int KEYED_FORMAT = 128;
  private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED;

  private Kind kind = Kind.EMPTY;
  private int format;
  private int countingWords;
  private int wordCount;
  private final long[] words = new long[MAX_WORDS];
  private byte[] bytes = NO_BYTES;
  private int byteCount;

  /** A key without address. */
  public AddressKey() {}

  public Kind kind() {
    return kind;
  }

  /**
   * The format of the address; of text, that of the address it spells.
   *
   * @return the number of an {@link AddressFormat}; under an authorization key, that and 128
   */
  public int format() {
    return format;
  }

  /**
   * The IPv4 address in one word.
   *
   * @return {@code address << 16 | port}, 48 bits; meaningful if {@link #kind} is {@link Kind#IPV4}
   */
  public long ipv4() {
    return words[0];
  }

  /** Returns an IPv4 address in one word, as {@link #ipv4()} does. */
  public static long ipv4(SocketAddress4 address) {
    return (address.address() & 0xFFFF_FFFFL) << Short.SIZE | address.port();
  }

  /**
   * Whether an IPv4 address is one that peers can have, neither any-address nor port zero; see
   * {@link AddressCodec#read(MemorySegment, long, AddressKey)}.
   *
   * @param addressAndPort {@code address << 16 | port}, or -1 for no address
   * @return false also for no address
   */
  public static boolean isUsableIpv4(long addressAndPort) {
    return addressAndPort > PORT && (addressAndPort & PORT) != 0;
  }

  /** Whether this is an IPv4 address, or text that spells one. */
  public boolean isIpv4() {
    return format == IPV4_FORMAT;
  }

  /** Whether this is an IPv6 address, or text that spells one. */
  public boolean isIpv6() {
    return format == IPV6_FORMAT;
  }

  /** Word 0 to {@link #wordCount} - 1 of those that the class comment draws. */
  public long word(int index) {
    return words[index];
  }

  /** {@return how many words there are} */
  public int wordCount() {
    return wordCount;
  }

  /** How many bytes a spelling or an opaque address has, without a terminating zero; else 0. */
  public int byteCount() {
    return byteCount;
  }

  byte[] bytes() {
    return bytes;
  }

  public void clear() {
    set(Kind.EMPTY, 0, 0, 0);
  }

  /** Becomes the IPv4 address {@code address << 16 | port}. */
  public void setIpv4(long addressAndPort) {
    set(Kind.IPV4, IPV4_FORMAT, 1, 1);
    words[0] = addressAndPort;
  }

  /**
   * Becomes an IPv6 address.
   *
   * @param high the first eight bytes
   * @param low the last eight bytes
   * @param port 0 to 65535
   * @param flow the flow label, which does not count
   */
  public void setIpv6(long high, long low, int port, int flow, int scope) {
    set(Kind.IPV6, IPV6_FORMAT, 3, 4);
    words[0] = high;
    words[1] = low;
    words[2] = (long) scope << 32 | port;
    words[3] = flow;
  }

  /** Becomes an address of a fixed length; the caller then sets the words. */
  void setWide(AddressFormat wideFormat, int counting, int total) {
    set(Kind.WIDE, wideFormat.number(), counting, total);
  }

  void setWord(int index, long word) {
    words[index] = word;
  }

  /** Turns the address into text that spells it. */
  void spell(byte[] spelling) {
    kind = Kind.TEXT;
    reserveBytes(spelling.length);
    System.arraycopy(spelling, 0, bytes, 0, spelling.length);
    byteCount = spelling.length;
  }

  /** Becomes the bytes of an address that mean nothing here. */
  void setOpaque(AddressFormat opaqueFormat, MemorySegment content, long offset, int length) {
    set(Kind.OPAQUE, opaqueFormat.number(), 0, 0);
    reserveBytes(length);
    MemorySegment.copy(content, JAVA_BYTE, offset, bytes, 0, length);
    byteCount = length;
  }

  private void set(Kind newKind, int newFormat, int counting, int total) {
    kind = newKind;
    format = newFormat;
    countingWords = counting;
    wordCount = total;
    byteCount = 0;
  }

  /**
   * Becomes the same address under an authorization key.
   *
   * @param authKey the number of the key, at least 0; the address has none yet
   */
  public void putUnder(int authKey) {
    if (countingWords == 0) {
      bytes = Arrays.copyOf(bytes, padded(byteCount + Integer.BYTES));
      MemorySegment.ofArray(bytes).set(NUMBER, byteCount, authKey);
      byteCount += Integer.BYTES;
    } else {
      int rest = wordCount - countingWords;
      System.arraycopy(words, countingWords, words, countingWords + 1, rest);
      words[countingWords++] = authKey;
      wordCount++;
    }
    format |= KEYED_FORMAT;
    kind = Kind.KEYED;
  }

  /** The number of the key that the address is under, or -1 if there is none. */
  public int authKey() {
    if (kind != Kind.KEYED) {
      return -1;
    }
    return countingWords > 0
        ? (int) words[countingWords - 1]
        : MemorySegment.ofArray(bytes).get(NUMBER, byteCount - Integer.BYTES);
  }

  /** Becomes the address alone; the number of the key that it was under, or -1. */
  public int takeAuthKey() {
    int authKey = authKey();
    if (kind != Kind.KEYED) {
      return authKey;
    }
    format &= ~KEYED_FORMAT;
    if (countingWords == 0) {
      kind = Kind.OPAQUE;
      byteCount -= Integer.BYTES;
      return authKey;
    }
    System.arraycopy(words, countingWords, words, countingWords - 1, wordCount - countingWords);
    countingWords--;
    wordCount--;
    if (byteCount > 0) {
      kind = Kind.TEXT;
    } else if (isIpv4()) {
      kind = Kind.IPV4;
    } else {
      kind = isIpv6() ? Kind.IPV6 : Kind.WIDE;
    }
    return authKey;
  }

  /** Whether both are the same address. Text and the address that it spells are. */
  public boolean sameAddress(AddressKey other) {
    return format == other.format
        && Arrays.equals(words, 0, countingWords, other.words, 0, other.countingWords)
        && (countingWords > 0
            || Arrays.equals(bytes, 0, byteCount, other.bytes, 0, other.byteCount));
  }

  /**
   * A hash of what counts that nobody can predict who does not know the seed: peers choose their
   * addresses, and must not be able to choose many that share a hash. Consecutive addresses spread
   * over all 64 bits.
   *
   * @param seed selects one of 2<sup>64</sup> hash functions
   * @return the hash; keys that are the same address have the same one
   */
  public long hash(long seed) {
    if (isIpv4()) {
      return hashIpv4(words[0], seed);
    }
    if (isIpv6()) {
      return hashIpv6(words[0], words[1], words[2], seed);
    }
    long hash = format ^ seed;
    for (int i = 0; i < countingWords; i++) {
      hash = mix(hash + words[i]);
    }
    for (int i = 0; countingWords == 0 && i < byteCount; i++) {
      hash = mix(hash + bytes[i]);
    }
    return hash;
  }

  /** The {@link #hash(long)} of an IPv4 address, given as {@link #ipv4} gives it. */
  public static long hashIpv4(long addressAndPort, long seed) {
    return mix(addressAndPort ^ seed);
  }

  /**
   * The {@link #hash(long)} of an IPv6 address.
   *
   * @param high its first eight bytes
   * @param low its last eight bytes
   * @param scopeAndPort {@code scope << 32 | port}
   */
  public static long hashIpv6(long high, long low, long scopeAndPort, long seed) {
    long hash = mix((IPV6_FORMAT ^ seed) + high);
    return mix(mix(hash + low) + scopeAndPort);
  }

  /**
   * A bijection in which every input bit changes about half of the output bits, so that consecutive
   * addresses differ in all bits of their hashes, high and low.
   */
  private static long mix(long value) {
    long mixed = value + HASH_INCREMENT;
    mixed = (mixed ^ mixed >>> 32) * HASH_MULTIPLIER;
    mixed = (mixed ^ mixed >>> 32) * HASH_MULTIPLIER;
    return mixed ^ mixed >>> 32;
  }

  /** Length of the record of this address, a multiple of 8. */
  public int recordSize() {
    return 8 + 8 * wordCount + padded(byteCount);
  }

  /** Writes the record of this address, {@link #recordSize()} bytes. */
  public void writeRecord(MemorySegment memory, long offset) {
    memory.set(
        WORD,
        offset,
        kind.number
            | (long) format << 8
            | (long) countingWords << 16
            | (long) wordCount << 24
            | (long) byteCount << 32);
    long position = offset + 8;
    for (int i = 0; i < wordCount; i++, position += 8) {
      memory.set(WORD, position, words[i]);
    }
    MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, position, byteCount);
    for (int i = byteCount; i < padded(byteCount); i++) {
      memory.set(JAVA_BYTE, position + i, (byte) 0);
    }
  }

  /**
   * Becomes the address of a record. Bytes that are no record, such as those of one that is being
   * written, are recognised where they would lead astray.
   *
   * @return false if there is no record; then the key is empty
   */
  public boolean readRecord(MemorySegment memory, long offset) {
    clear();
    long room = memory.byteSize() - offset - 8;
    if (offset < 0 || room < 0) {
      return false;
    }
    long header = memory.get(WORD, offset);
    int kindNumber = (int) (header & 0xFF);
    int counting = (int) (header >>> 16 & 0xFF);
    int total = (int) (header >>> 24 & 0xFF);
    int length = (int) (header >>> 32);
    if (kindNumber >= KINDS.length
        || total > MAX_WORDS
        || counting > total
        || length < 0
        || length > MAX_BYTES + Integer.BYTES
        || (kindNumber == Kind.KEYED.number && counting == 0 && length < Integer.BYTES)
        || room < 8L * total + length) {
      return false;
    }
    set(KINDS[kindNumber], (int) (header >>> 8 & 0xFF), counting, total);
    long position = offset + 8;
    for (int i = 0; i < total; i++, position += 8) {
      words[i] = memory.get(WORD, position);
    }
    if (length > 0) {
      reserveBytes(length);
      MemorySegment.copy(memory, JAVA_BYTE, position, bytes, 0, length);
      byteCount = length;
    }
    return true;
  }

  /** Whether a record is the {@linkplain #sameAddress same address}, without copying it. */
  public boolean matchesRecord(MemorySegment memory, long offset) {
    long header = memory.get(WORD, offset);
    if ((header >>> 8 & 0xFFFF) != (format | (long) countingWords << 8)) {
      return false;
    }
    long position = offset + 8;
    for (int i = 0; i < countingWords; i++, position += 8) {
      if (memory.get(WORD, position) != words[i]) {
        return false;
      }
    }
    return countingWords > 0 || (header >>> 32 == byteCount && matchesBytes(memory, position));
  }

  /** One by one: a comparison of segments would make one of the array each time. */
  private boolean matchesBytes(MemorySegment memory, long position) {
    for (int i = 0; i < byteCount; i++) {
      if (memory.get(JAVA_BYTE, position + i) != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a record is an IPv4 address, as itself or spelled.
   *
   * @param addressAndPort the word that {@link #ipv4} gives
   * @return as {@link #matchesRecord} of a key that was {@link #setIpv4 set} to it
   */
  public static boolean isIpv4Record(MemorySegment memory, long offset, long addressAndPort) {
    long header = memory.get(WORD, offset);
    return (header >>> 8 & 0xFFFF) == (IPV4_FORMAT | 1L << 8)
        && memory.get(WORD, offset + 8) == addressAndPort;
  }

  private void reserveBytes(int length) {
    if (bytes.length < length) {
      bytes = new byte[padded(length)];
    }
  }

  private static int padded(int length) {
    return length + 7 & -8;
  }

  /** Returns an IPv4 address as text; of other addresses, the kind and the words in hexadecimal. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (kind == Kind.IPV4) {
      for (int shift = 40; shift > 8; shift -= Byte.SIZE) {
        text.append(words[0] >>> shift & 0xFF).append(shift > Short.SIZE ? '.' : ':');
      }
      return text.append(words[0] & 0xFFFF).toString();
    }
    text.append(kind).append(" address");
    for (int i = 0; i < wordCount; i++) {
      text.append(' ').append(Long.toHexString(words[i]));
    }
    return text.toString();
  }
}
