// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.ofi4j.internal.Arguments;

/**
 * What the full forms of receives have in common.
 *
 * @param <R> the request itself
 */
public abstract sealed class IncomingRequest<R extends IncomingRequest<R>>
    extends TransferRequest<R> permits ReceiveRequest, TaggedReceiveRequest {
  private long source = Handles.UNSPECIFIED;

  IncomingRequest() {}

  /**
   * From whom a message is taken. Such a receive takes messages of that entry only, also such as
   * came before the entry was inserted. When the entry is removed the receive takes nothing any
   * more, whatever is inserted in its place; withdraw it with {@link MessageReceiver#cancel}.
   *
   * @param handle handle of the sender, or {@link Handles#UNSPECIFIED} for anybody, as it is unless
   *     it is said; ignored without {@link Capability#DIRECTED_RECEIVE}, for tagged messages also
   *     without {@link Capability#TAGGED_DIRECTED_RECEIVE}; mandatory with {@link
   *     Capability#EXACT_DIRECTED_RECEIVE}
   * @return this
   */
  public R source(long handle) {
    source = handle;
    return flag(TransferFlag.AUTH_KEY.mask(), 0);
  }

  /**
   * {@code FI_AUTH_KEY}: a message is taken from anybody under one authorization key.
   *
   * @param key handle of the key
   * @return this
   */
  public R sourceUnderKey(long key) {
    source = key;
    return flag(TransferFlag.AUTH_KEY.mask(), TransferFlag.AUTH_KEY.mask());
  }

  /**
   * What the receive does with messages.
   *
   * @param what {@link ReceiveMode#ONE_MESSAGE} unless it is said
   * @return this
   */
  public R mode(ReceiveMode what) {
    return flag(ReceiveMode.MASK, Arguments.required(what, "what").flags);
  }

  @Override
  public R clear() {
    source = Handles.UNSPECIFIED;
    return super.clear();
  }

  /** {@return handle of the sender, or of the authorization key} */
  public final long source() {
    return source;
  }

  @Override
  String fields() {
    return "source=" + handleText(source) + ", " + super.fields();
  }
}
