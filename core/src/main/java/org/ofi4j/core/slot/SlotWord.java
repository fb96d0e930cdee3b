// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

/**
 * The eight bytes that every index has. All that happens to an entry happens by one store of its
 * word.
 *
 * <pre>
 *   63 62   61     60 ........ 48   47 ............................................ 0
 *   state | side |      low       |                      body
 *
 *   0 unused      0    | 0          | 0 (4) | generation (44)
 *   1 reserved    side | owner      | 0 (4) | generation (44)
 *   2 IPv4        side | low        | address (32)     | port (16)
 *   3 record      side | low        | size class (4)   | 0 (11) | place of the record (33)
 * </pre>
 *
 * <p>{@code side} says that the word of {@link SideWords} counts. {@code generation} is a number
 * that grows each time that the index is used again, and never comes again. {@code low} is its low
 * 13 bits; from 8,192 on, the side word has the others. {@code owner} is the participant of a named
 * vector that holds the reservation, plus 1; else 0. Zeros, as memory comes from the system, are an
 * index never used.
 */
public final class SlotWord {
  public static final int UNUSED = 0;
  public static final int RESERVED = 1;
  public static final int IPV4 = 2;
  public static final int RECORD = 3;

  public static final long SIDE = 1L << 61;

  /** A word that is not live, and not 0 as of entries of runs. */
  static final long NOT_LIVE = 1;

  public static final int LOW_GENERATION_BITS = 13;

  /** Bits of a generation: one entry exchanged without a pause takes months to use them up. */
  public static final int GENERATION_BITS = LOW_GENERATION_BITS + SideWords.HIGH_BITS;

  /** Bits of the body, above which a reserved word has its owner. */
  public static final int BODY_BITS = 48;

  private static final int STATE_SHIFT = 62;
  private static final int LOW_GENERATION_MASK = (1 << LOW_GENERATION_BITS) - 1;
  private static final long LOW_GENERATION = (long) LOW_GENERATION_MASK << BODY_BITS;
  private static final int OWNER_MASK = (1 << 13) - 1;
  private static final long GENERATION_MASK = (1L << GENERATION_BITS) - 1;
  private static final long BODY_MASK = (1L << BODY_BITS) - 1;
  private static final int CLASS_SHIFT = 44;
  private static final long PLACE_MASK = (1L << CLASS_SHIFT) - 1;
  private static final long IPV4_END = (long) RECORD << STATE_SHIFT;
  private static final long IPV4_MASK = 3L << STATE_SHIFT | BODY_MASK;

  /** State and body of an IPv6 address in the wide slot itself. */
  static final long IN_SLOT = (long) RECORD << STATE_SHIFT;

  private SlotWord() {}

  public static int state(long word) {
    return (int) (word >>> STATE_SHIFT);
  }

  /** Both live states have the highest bit. */
  public static boolean isLive(long word) {
    return word < 0;
  }

  public static boolean hasSide(long word) {
    return (word & SIDE) != 0;
  }

  public static long body(long word) {
    return word & BODY_MASK;
  }

  /** The generation that comes next, of an unused word, or that of a reserved one. */
  public static long generation(long word) {
    return word & GENERATION_MASK;
  }

  public static int lowGeneration(long word) {
    return (int) (word >>> BODY_BITS) & LOW_GENERATION_MASK;
  }

  /** Whether a live word can tell all of a generation without its side word. */
  public static boolean fits(long generation) {
    return generation <= LOW_GENERATION_MASK;
  }

  public static long unused(long generation) {
    return generation & GENERATION_MASK;
  }

  public static long reserved(long generation, int owner) {
    return (long) RESERVED << STATE_SHIFT
        | (long) owner << BODY_BITS
        | (generation & GENERATION_MASK);
  }

  public static int owner(long reserved) {
    return (int) (reserved >>> BODY_BITS) & OWNER_MASK;
  }

  /** State and body of an IPv4 address. */
  public static long ipv4(long addressAndPort) {
    return (long) IPV4 << STATE_SHIFT | addressAndPort;
  }

  /** State and body of an address in a record. */
  public static long record(int sizeClass, long place) {
    return (long) RECORD << STATE_SHIFT | (long) sizeClass << CLASS_SHIFT | place;
  }

  public static long withGeneration(long stateAndBody, long generation) {
    return stateAndBody | (generation & LOW_GENERATION_MASK) << BODY_BITS;
  }

  /** Adds the low bits of the generation of another live word to state and body. */
  public static long withGenerationOf(long stateAndBody, long live) {
    return stateAndBody | (live & LOW_GENERATION);
  }

  /** Whether a word of a wide slot says that its address is there. */
  public static boolean isInSlot(long word) {
    return (word & IPV4_MASK) == IN_SLOT;
  }

  public static int sizeClass(long word) {
    return (int) (word >>> CLASS_SHIFT) & 0xF;
  }

  public static long place(long word) {
    return word & PLACE_MASK;
  }

  public static boolean isIpv4(long word) {
    // As a signed number, the state 2 comes before all others.
    return word < IPV4_END;
  }

  /** Whether a word, of whatever generation, is that of one IPv4 address. */
  public static boolean isIpv4(long word, long addressAndPort) {
    return (word & IPV4_MASK) == ((long) IPV4 << STATE_SHIFT | addressAndPort);
  }

  /**
   * Whether two words are of one entry with one address, which may have got a side word. If they
   * are the same, the entry may have had another address in between; only a record tells that.
   */
  public static boolean sameEntry(long one, long other) {
    return ((one ^ other) & ~SIDE) == 0;
  }
}
