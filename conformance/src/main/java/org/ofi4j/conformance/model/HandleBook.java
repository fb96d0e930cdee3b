// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.ofi4j.Handles;

/** The handles that a vector gave out, and others that it never would. */
final class HandleBook {
  private final boolean areIndices;
  private final int receiveContextBits;
  private final Map<Long, Integer> issued = new HashMap<>();
  private final List<Long> inOrder = new ArrayList<>();

  /**
   * An empty book.
   *
   * @param areIndices whether handles are positions (AV-024, AV-025)
   * @param receiveContextBits high bits that do not count (AV-143)
   */
  HandleBook(boolean areIndices, int receiveContextBits) {
    this.areIndices = areIndices;
    this.receiveContextBits = receiveContextBits;
  }

  /** Notes a handle; one handle may never stand for two indices. */
  void note(long handle, int index) {
    Integer before = issued.put(handle, index);
    if (before == null) {
      inOrder.add(handle);
    } else if (before != index) {
      throw new AssertionError(
          "handle " + handle + " stood for index " + before + ", now for " + index);
    }
  }

  /** The index that a handle stands for, -1 if it never stood for any. */
  int indexOf(long handle) {
    if (handle == Handles.NOT_AVAILABLE) {
      return -1;
    }
    long plain = receiveContextBits == 0 ? handle : handle & -1L >>> receiveContextBits;
    return issued.getOrDefault(plain, -1);
  }

  /** At most about so many of all handles ever given out, evenly spread. */
  List<Long> some(int most) {
    List<Long> some = new ArrayList<>();
    int stride = 1 + inOrder.size() / most;
    for (int i = 0; i < inOrder.size(); i += stride) {
      some.add(inOrder.get(i));
    }
    return some;
  }

  /** The same entry through any receive context. */
  long decorated(long handle, RandomGenerator random) {
    return receiveContextBits == 0
        ? handle
        : Handles.atReceiveContext(
            handle, random.nextInt(1 << receiveContextBits), receiveContextBits);
  }

  /** A handle that was given out once, live or not. */
  long anyIssued(RandomGenerator random) {
    return inOrder.isEmpty() ? 0 : inOrder.get(random.nextInt(inOrder.size()));
  }

  /** A handle that was never given out, made from another one. */
  long wrong(long base, RandomGenerator random) {
    return switch (random.nextInt(6)) {
      case 0 -> Handles.NOT_AVAILABLE;
      case 1 -> areIndices ? Integer.MAX_VALUE - random.nextInt(3) : base + 7;
      case 2 -> base ^ 1L << 40; // a group, where none was negotiated
      case 3 -> areIndices ? base | Handles.AUTH_KEY_BIT : base + 1;
      case 4 -> areIndices ? 1L << 32 : base - 16_000_000L;
      default -> areIndices ? 1_000_000_000L : base + 16_000_000L;
    };
  }
}
