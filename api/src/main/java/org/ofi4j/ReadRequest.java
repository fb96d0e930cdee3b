// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.RequestedPlaces;

/**
 * {@code struct fi_msg_rma} of {@code fi_readmsg}, fi_rma(3): what is read from a peer's memory,
 * and all about it.
 */
public final class ReadRequest extends TransferRequest<ReadRequest> {
  private final RequestedPlaces places = new RequestedPlaces();
  private long source = Handles.UNSPECIFIED;

  /** A request that says nothing yet. */
  public ReadRequest() {}

  @Override
  ReadRequest self() {
    return this;
  }

  /**
   * Whose memory is read.
   *
   * @param handle handle of the peer; endpoints with one peer take any number
   * @return this
   */
  public ReadRequest source(long handle) {
    source = handle;
    return this;
  }

  /**
   * When the operation counts as ended: a read has ended when its bytes are here, whatever is said.
   *
   * @param level any but {@link CompletionLevel#COMMITTED}
   * @return this
   */
  public ReadRequest completes(CompletionLevel level) {
    return flag(CompletionLevel.MASK, Arguments.required(level, "level").flags);
  }

  /**
   * Where the bytes are: at the beginning of a place, which must have as many.
   *
   * @param where a place in the peer's memory
   * @return this
   */
  public ReadRequest place(RemotePlace where) {
    return place(where, 0);
  }

  /**
   * Where the bytes are: in a place from an offset on, which must have as many.
   *
   * @param where a place in the peer's memory
   * @param offset how many of its bytes are left out, from 0 to its length
   * @return this
   */
  public ReadRequest place(RemotePlace where, long offset) {
    Arguments.required(where, "where").checkOffset(offset);
    places.set(where, offset);
    return this;
  }

  /**
   * Where the bytes are: in several places, one after the other, which together have as many.
   *
   * @param all at most {@link FabricInfo.Transmit#rmaIovLimit} places; the array is looked at when
   *     the request is posted
   * @return this
   */
  public ReadRequest places(RemotePlace... all) {
    places.set(all);
    return this;
  }

  @Override
  public ReadRequest clear() {
    places.clear();
    source = Handles.UNSPECIFIED;
    return super.clear();
  }

  /** {@return handle of the peer} */
  public long source() {
    return source;
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
    return "source=" + handleText(source) + ", " + places + ", " + super.fields();
  }
}
