// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.RequestedPlaces;

/**
 * {@code struct fi_msg_rma} of {@code fi_writemsg}, fi_rma(3): what is written to a peer's memory,
 * where, and all about it.
 */
public final class WriteRequest extends OutgoingRequest<WriteRequest> {
  private final RequestedPlaces places = new RequestedPlaces();

  /** A request that says nothing yet. */
  public WriteRequest() {}

  @Override
  WriteRequest self() {
    return this;
  }

  /**
   * Where the bytes go: to the beginning of a place, which must have room for them.
   *
   * @param where a place in the peer's memory
   * @return this
   */
  public WriteRequest place(RemotePlace where) {
    return place(where, 0);
  }

  /**
   * Where the bytes go: to a place from an offset on, which must have room for them.
   *
   * @param where a place in the peer's memory
   * @param offset how many of its bytes are left out, from 0 to its length
   * @return this
   */
  public WriteRequest place(RemotePlace where, long offset) {
    Arguments.required(where, "where").checkOffset(offset);
    places.set(where, offset);
    return this;
  }

  /**
   * Where the bytes go: to several places, one after the other, which together have as many bytes.
   *
   * @param all at most {@link FabricInfo.Transmit#rmaIovLimit} places; the array is looked at when
   *     the request is posted
   * @return this
   */
  public WriteRequest places(RemotePlace... all) {
    places.set(all);
    return this;
  }

  @Override
  public WriteRequest clear() {
    places.clear();
    return super.clear();
  }

  /** {@return the one place; null if there are several, or none} */
  public @Nullable RemotePlace place() {
    return places.one();
  }

  /** {@return how many bytes of the one place are left out} */
  public long offset() {
    return places.offset();
  }

  /** {@return the places, the array that was given; null if there are not several} */
  public RemotePlace @Nullable [] places() {
    return places.several();
  }

  @Override
  String fields() {
    return places + ", " + super.fields();
  }
}
