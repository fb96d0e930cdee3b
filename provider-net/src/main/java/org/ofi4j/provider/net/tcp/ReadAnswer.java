// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.FrameHeader;

/** The answer to a read request; first it is where the request goes, which carries no bytes. */
final class ReadAnswer extends Answer implements Arrival {
  private final RemoteAccess owner;

  /** What is read. */
  final AccessedMemory memory = new AccessedMemory();

  ReadAnswer(RemoteAccess owner) {
    this.owner = owner;
  }

  @Override
  void written() {
    owner.answered(this);
  }

  @Override
  void release() {
    owner.release(this);
  }

  @Override
  int headerSize() {
    return FrameHeader.BASE;
  }

  @Override
  void encodeHeader(ByteBuffer into) {
    FrameHeader.encodeAnswer(into, sequence, payload);
  }

  @Override
  void checkReadable() {
    memory.check();
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
  void clear() {
    super.clear();
    memory.clear();
  }
}
