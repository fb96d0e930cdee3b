// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.Answer;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.FrameHeader;

/** The answer to a read request; first it is where the request goes, which carries no bytes. */
public final class ReadAnswer extends Answer implements Arrival {
  private final RemoteAccess owner;

  /** Over which it was asked for, and goes back; null if it is not in use. */
  @Nullable Link link;

  final AccessedMemory accessed = new AccessedMemory();

  ReadAnswer(RemoteAccess owner) {
    this.owner = owner;
  }

  @Override
  public void written() {
    owner.answered(this);
  }

  @Override
  public void release() {
    owner.release(this);
  }

  @Override
  public int headerSize() {
    return FrameHeader.BASE;
  }

  @Override
  public void encodeHeader(ByteBuffer into) {
    FrameHeader.encodeBase(into, FrameHeader.READ_RESPONSE, 0, 0, sequence, payload);
  }

  @Override
  public void checkReadable() {
    accessed.check();
  }

  @Override
  public long wanted(long length) {
    return 0;
  }

  @Override
  public void take(MemorySegment from, long at, long length, long offset) {
    throw new IllegalStateException("a read request carries nothing");
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long length) {
    return null;
  }

  @Override
  public void whole(FrameHeader header) {
    Objects.requireNonNull(link).writer().answer(this);
  }

  @Override
  public void unusable(Throwable failed) {
    throw new IllegalStateException("a read request carries nothing", failed);
  }

  @Override
  public void brokeOff() {
    release();
  }

  @Override
  public void clear() {
    super.clear();
    link = null;
    accessed.clear();
  }
}
