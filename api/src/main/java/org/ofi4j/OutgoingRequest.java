// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.ofi4j.internal.Arguments;

/**
 * What the full forms of sends and writes have in common.
 *
 * @param <R> the request itself
 */
public abstract sealed class OutgoingRequest<R extends OutgoingRequest<R>>
    extends TransferRequest<R> permits SendRequest, TaggedSendRequest, WriteRequest {
  private long destination = Handles.UNSPECIFIED;
  private long data;

  OutgoingRequest() {}

  /**
   * Whom it goes to.
   *
   * @param handle handle of the peer; endpoints with one peer take any number
   * @return this
   */
  public R destination(long handle) {
    destination = handle;
    return self();
  }

  /**
   * {@code FI_REMOTE_CQ_DATA}: immediate data, which goes with the message or write and stands in
   * the peer's completion. To say it is to send it; {@link #withoutData} takes it back.
   *
   * @param value any value
   * @return this
   */
  public R data(long value) {
    data = value;
    return flag(TransferFlag.REMOTE_CQ_DATA.mask(), TransferFlag.REMOTE_CQ_DATA.mask());
  }

  /**
   * No immediate data.
   *
   * @return this
   */
  public R withoutData() {
    data = 0;
    return flag(TransferFlag.REMOTE_CQ_DATA.mask(), 0);
  }

  /**
   * When the operation counts as ended.
   *
   * @param level {@link CompletionLevel#DEFAULT} unless it is said
   * @return this
   */
  public R completes(CompletionLevel level) {
    return flag(CompletionLevel.MASK, Arguments.required(level, "level").flags);
  }

  /**
   * {@code FI_INJECT}: whether the memory may be used again as soon as the call returns.
   *
   * @param yes false unless it is said; then at most {@link FabricInfo.Transmit#injectSize} bytes
   * @return this
   */
  public R injected(boolean yes) {
    return flag(TransferFlag.INJECT.mask(), yes ? TransferFlag.INJECT.mask() : 0);
  }

  @Override
  public R clear() {
    destination = Handles.UNSPECIFIED;
    data = 0;
    return super.clear();
  }

  /** {@return handle of the peer} */
  public final long destination() {
    return destination;
  }

  /** {@return immediate data; 0 if there is none} */
  public final long data() {
    return data;
  }

  /** {@return whether there is immediate data} */
  public final boolean hasData() {
    return (flags() & TransferFlag.REMOTE_CQ_DATA.mask()) != 0;
  }

  @Override
  String fields() {
    return "destination="
        + handleText(destination)
        + (hasData() ? ", data=0x" + Long.toHexString(data) : "")
        + (", " + super.fields());
  }
}
