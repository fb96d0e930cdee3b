package org.ofi4j;

/** Flags of a single send or receive. */
public enum TransferFlag implements Flag {
  /** {@code FI_REMOTE_CQ_DATA}: the message carries immediate data. */
  REMOTE_CQ_DATA(17),
  /** {@code FI_MORE}: further operations follow at once. A hint. */
  MORE(18),
  /** {@code FI_COMPLETION}: report this operation although the binding is selective. */
  COMPLETION(24),
  /** {@code FI_INJECT}: the buffer may be used again as soon as the call returns. */
  INJECT(25),
  /** {@code FI_INJECT_COMPLETE}: complete when the buffer may be used again. */
  INJECT_COMPLETE(26),
  /** {@code FI_TRANSMIT_COMPLETE}: complete when the network has the message. */
  TRANSMIT_COMPLETE(27),
  /** {@code FI_DELIVERY_COMPLETE}: complete when the message is in the receiver's memory. */
  DELIVERY_COMPLETE(28);

  private final int bit;

  TransferFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
