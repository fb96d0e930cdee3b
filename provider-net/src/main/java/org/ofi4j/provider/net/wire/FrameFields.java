// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

/** What a frame says of the message or write that it carries, apart from its bytes. */
public final class FrameFields {
  /** Flags of the frame, which say what of the rest is there. */
  public int flags;

  /** Immediate data, with flag {@link FrameHeader#HAS_DATA}. */
  public long data;

  /** Of tagged messages. */
  public long tag;

  /** Where at the peer it belongs, with flag {@link FrameHeader#HAS_WORD}. */
  public long word = DeliveryWord.NONE;

  public void clear() {
    flags = 0;
    data = 0;
    tag = 0;
    word = DeliveryWord.NONE;
  }
}
