// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * Which tagged messages a receive takes, fi_tagged(3): those whose tag is the same, but for bits
 * that may differ. Made once, a pattern can be used for any number of receives.
 *
 * @param tag the tag that a message must have
 * @param ignored bits of it that may differ
 */
public record TagPattern(long tag, long ignored) {
  private static final TagPattern ANY = new TagPattern(0, -1);

  /** {@return a pattern that takes messages with any tag} */
  public static TagPattern any() {
    return ANY;
  }

  /**
   * {@return a pattern that takes messages with one tag}
   *
   * @param tag the tag
   */
  public static TagPattern exactly(long tag) {
    return new TagPattern(tag, 0);
  }

  /**
   * {@return a copy that takes messages whose tag differs in certain bits as well}
   *
   * @param bits the bits that may differ
   */
  public TagPattern withIgnored(long bits) {
    return new TagPattern(tag, bits);
  }

  /**
   * {@return whether a message with a tag is taken}
   *
   * @param other the tag of the message
   */
  public boolean matches(long other) {
    return ((tag ^ other) & ~ignored) == 0;
  }

  /** In hexadecimal. */
  @Override
  public String toString() {
    return "TagPattern[tag=0x%x, ignored=0x%x]".formatted(tag, ignored);
  }
}
