// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.RemotePlace;

/** Checks of the places in the memory of peers that an access names, see fi_rma(3). */
public final class ReachedPlaces {
  private ReachedPlaces() {}

  /**
   * Checks that a place has enough bytes.
   *
   * @param bytes the number of bytes that are copied
   * @param place the place
   * @param offset the offset of the first of them in the place
   * @throws FabricException with {@link Errno#EINVAL} if the place is null or too short
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
   * Checks and copies several places, which must have as many bytes as are copied.
   *
   * @param places the places
   * @param bytes the number of bytes that are copied
   * @param most the largest number of places
   * @return the copy
   * @throws FabricException with {@link Errno#EINVAL} if there is no place or too many, one is
   *     null, or they have another number of bytes
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
