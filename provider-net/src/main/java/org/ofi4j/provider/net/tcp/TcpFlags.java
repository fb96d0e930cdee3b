// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.transfer.Departure;
import org.ofi4j.provider.net.transfer.Outcomes;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.FrameHeader;

/** The flags that operations over TCP take, and what they mean for frames and completions. */
final class TcpFlags {
  static final long INJECT = TransferFlag.INJECT.mask();
  static final long PEEK = TransferFlag.PEEK.mask();
  static final long DISCARD = TransferFlag.DISCARD.mask();
  static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();
  static final long AUTH_KEY = TransferFlag.AUTH_KEY.mask();

  private static final long MORE = TransferFlag.MORE.mask();
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long DELIVERY = TransferFlag.DELIVERY_COMPLETE.mask();
  private static final long COMMIT = TransferFlag.COMMIT_COMPLETE.mask();

  /** Operations with one of these do not wait for others, unless that is announced. */
  private static final long AT_ONCE =
      Flag.maskOf(
          TransferFlag.INJECT, TransferFlag.TRANSMIT_COMPLETE, TransferFlag.DELIVERY_COMPLETE);

  static final long SEND =
      Flag.maskOf(
          TransferFlag.REMOTE_CQ_DATA,
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  static final long WRITE = SEND | COMMIT;

  /** A read has ended when its bytes are here, so it does not matter what else it waits for. */
  static final long READ =
      Flag.maskOf(
          TransferFlag.MORE,
          TransferFlag.COMPLETION,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  /**
   * Of receives; {@link #MULTI_RECEIVE} only where the endpoint has the capability, {@link
   * #AUTH_KEY} only where it has keys.
   */
  static final long RECEIVE =
      Flag.maskOf(
          TransferFlag.COMPLETION,
          TransferFlag.MORE,
          TransferFlag.PEEK,
          TransferFlag.CLAIM,
          TransferFlag.DISCARD);

  private TcpFlags() {}

  /** Whether nothing is reported of an operation that succeeds. */
  static boolean isSilent(Outcomes<?> reportedTo, long flags) {
    return reportedTo.isSelective() && (flags & COMPLETION) == 0;
  }

  /** Whether an operation does not ask for an entry of its own in a selective queue. */
  static boolean isUnasked(long flags) {
    return (flags & COMPLETION) == 0;
  }

  /**
   * Whether a message may wait for others: if that was announced; or in a row, if its sender is
   * going to read of its end, and did not ask for more than the default.
   */
  static Departure departure(TransmitContext from, long flags) {
    if ((flags & MORE) != 0) {
      return Departure.BEFORE_MORE;
    }
    return (flags & AT_ONCE) == 0 && !isSilent(from, flags) && from.tells(CounterFlag.SEND)
        ? Departure.IN_A_ROW
        : Departure.AT_ONCE;
  }

  /** Notes with an operation how it ends, and whether its memory is free at once. */
  static void note(Send posted, @Nullable Object context, long flags) {
    posted.context = context;
    posted.silent = isSilent(posted.owner(), flags);
    posted.inject = (flags & INJECT) != 0;
  }

  /** The same of an operation that is injected: nothing is reported of its success. */
  static void noteInjected(Send posted) {
    posted.silent = true;
    posted.inject = true;
  }

  /** The flags of a frame that carries a message or a write. */
  static int ofFrame(long flags) {
    return ((flags & DATA) != 0 ? FrameHeader.HAS_DATA : 0)
        | ((flags & DELIVERY) != 0 ? FrameHeader.DELIVERY_COMPLETE : 0)
        | ((flags & COMMIT) != 0 ? FrameHeader.COMMIT_COMPLETE : 0);
  }
}
