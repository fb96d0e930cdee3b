// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Where a request reaches a peer's memory: one place from an offset on, or several. */
final class RequestedPlaces {
  private @Nullable RemotePlace one;
  private RemotePlace @Nullable [] several;
  private long offset;

  void set(RemotePlace where, long from) {
    Arguments.required(where, "where").checkOffset(from);
    one = where;
    offset = from;
    several = null;
  }

  void set(RemotePlace[] all) {
    several = Arguments.required(all, "all");
    one = null;
    offset = 0;
  }

  void clear() {
    one = null;
    several = null;
    offset = 0;
  }

  @Nullable RemotePlace one() {
    return one;
  }

  long offset() {
    return offset;
  }

  RemotePlace @Nullable [] several() {
    return several;
  }

  @Override
  public String toString() {
    return several == null
        ? "place=" + one + (offset == 0 ? "" : ", offset=" + offset)
        : "places=" + Arrays.toString(several);
  }
}
