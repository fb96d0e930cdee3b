// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import org.jspecify.annotations.Nullable;
import org.ofi4j.RemotePlace;

/** Checks of the places in the memory of peers that an access is to reach. */
public final class ReachedPlaces {
  private ReachedPlaces() {}

  /**
   * Refuses a place that has too few bytes.
   *
   * @param bytes how many are copied
   * @param offset where in the place they begin
   */
  public static void checkRoom(long bytes, @Nullable RemotePlace place, long offset) {
    long room = required(place, "place").length() - offset;
    if (bytes > room) {
      throw invalid(
          "%s bytes here, but the place in the peer's memory has %s%s"
              .formatted(bytes, room, offset == 0 ? "" : " from offset " + offset + " on"));
    }
  }

  /**
   * Several places, to be kept.
   *
   * @param bytes how many are copied, which is how many the places have in all
   * @param most how many places there may be
   */
  public static RemotePlace[] several(RemotePlace[] places, long bytes, int most) {
    RemotePlace[] kept = places.clone();
    if (kept.length < 1 || kept.length > most) {
      throw invalid(kept.length + " places of a peer's memory: there can be 1 to " + most);
    }
    long left = bytes;
    for (int i = 0; i < kept.length && left >= 0; i++) {
      // The sum of any lengths may be more than a number holds.
      long length = required(kept[i], "places[" + i + "]").length();
      left = length > left ? -1 : left - length;
    }
    if (left != 0) {
      throw invalid(
          "places of a peer's memory that have %s than the %s bytes here: give places of as many"
              .formatted(left < 0 ? "more" : left + " bytes less", bytes));
    }
    return kept;
  }
}
