// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** IPv6 addresses and InfiniBand GIDs, as {@code inet_pton} and {@code inet_ntop} know them. */
public final class Ipv6Text {
  private static final int GROUPS = 8;

  private Ipv6Text() {}

  /**
   * Reads an address without brackets and without scope.
   *
   * @return its high and its low half, or null if the text is no such address
   */
  public static long @Nullable [] parse(String text) {
    int gap = text.indexOf("::");
    int[] groups = new int[GROUPS];
    if (gap < 0) {
      return parseGroups(text, groups, true) == GROUPS ? halves(groups) : null;
    }
    int[] tail = new int[GROUPS];
    String before = text.substring(0, gap);
    String after = text.substring(gap + 2);
    int head = before.isEmpty() ? 0 : parseGroups(before, groups, false);
    int end = after.isEmpty() ? 0 : parseGroups(after, tail, true);
    // The gap stands for at least one group.
    if (head < 0 || end < 0 || head + end >= GROUPS) {
      return null;
    }
    System.arraycopy(tail, 0, groups, GROUPS - end, end);
    return halves(groups);
  }

  /** Reads groups between colons; returns how many, or -1 if one is malformed or too many. */
  private static int parseGroups(String text, int[] groups, boolean dottedEnd) {
    int count = 0;
    int position = 0;
    while (true) {
      int colon = text.indexOf(':', position);
      String group = colon < 0 ? text.substring(position) : text.substring(position, colon);
      if (colon < 0 && dottedEnd && group.indexOf('.') >= 0) {
        long dotted = Ipv4Text.parse(group);
        if (dotted < 0 || count > GROUPS - 2) {
          return -1;
        }
        groups[count] = (int) (dotted >>> 16);
        groups[count + 1] = (int) (dotted & 0xFFFF);
        return count + 2;
      }
      if (count == GROUPS || !Digits.isHexadecimal(group, 4)) {
        return -1;
      }
      groups[count] = (int) Digits.hexadecimal(group);
      count++;
      if (colon < 0) {
        return count;
      }
      position = colon + 1;
    }
  }

  private static long[] halves(int[] groups) {
    long[] halves = new long[2];
    for (int i = 0; i < GROUPS; i++) {
      halves[i / 4] = halves[i / 4] << 16 | groups[i];
    }
    return halves;
  }

  /**
   * Lower case without leading zeros; the longest run of at least two zero groups becomes {@code
   * ::}, the first of equal ones; what ends in an IPv4 address shows it dotted.
   */
  public static String print(long high, long low) {
    int runStart = -1;
    int runLength = 1;
    for (int i = 0; i < GROUPS; i++) {
      int end = i;
      while (end < GROUPS && group(high, low, end) == 0) {
        end++;
      }
      if (end - i > runLength) {
        runStart = i;
        runLength = end - i;
      }
      i = Math.max(i, end - 1);
    }
    boolean compatible = runStart == 0 && runLength == 6;
    boolean mapped = runStart == 0 && runLength == 5 && group(high, low, 5) == 0xFFFF;
    int hexadecimalGroups = compatible || mapped ? 6 : GROUPS;
    StringBuilder text = new StringBuilder(45);
    for (int i = 0; i < hexadecimalGroups; i++) {
      if (i == runStart) {
        text.append("::");
        i += runLength - 1;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(group(high, low, i)));
    }
    if (compatible || mapped) {
      text.append(mapped ? ":" : "").append(Ipv4Text.print((int) low));
    }
    return text.toString();
  }

  private static int group(long high, long low, int index) {
    long half = index < 4 ? high : low;
    return (int) (half >>> (48 - index % 4 * 16)) & 0xFFFF;
  }

  /** The text of sixteen packed bytes. */
  public static String print(MemorySegment packed, long offset) {
    ValueLayout.OfLong half = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    return print(packed.get(half, offset), packed.get(half, offset + 8));
  }
}
