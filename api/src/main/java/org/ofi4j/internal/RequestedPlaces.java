// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.RemotePlace;

/** Where a request reaches a peer's memory: one place from an offset on, or several. */
public final class RequestedPlaces {
  private @Nullable RemotePlace one;
  private RemotePlace @Nullable [] several;
  private long offset;

  /** Sets one place; the caller has checked the offset. */
  public void set(RemotePlace where, long from) {
    one = where;
    offset = from;
    several = null;
  }

  public void set(RemotePlace[] all) {
    several = Arguments.required(all, "all");
    one = null;
    offset = 0;
  }

  public void clear() {
    one = null;
    several = null;
    offset = 0;
  }

  public @Nullable RemotePlace one() {
    return one;
  }

  public long offset() {
    return offset;
  }

  public RemotePlace @Nullable [] several() {
    return several;
  }

  @Override
  public String toString() {
    return several == null
        ? "place=" + one + (offset == 0 ? "" : ", offset=" + offset)
        : "places=" + Arrays.toString(several);
  }
}
