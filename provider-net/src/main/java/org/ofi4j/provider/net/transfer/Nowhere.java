// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.FrameHeader;

/** Where payload goes that nobody wants, or that a frame must not have: takes nothing. */
public class Nowhere implements Arrival {
  public static final Nowhere INSTANCE = new Nowhere();

  @Override
  public final long wanted(long payload) {
    return 0;
  }

  @Override
  public final void take(MemorySegment from, long at, long length, long offset) {
    throw new IllegalStateException("nothing is wanted");
  }

  @Override
  public final @Nullable MemorySegment rest(long offset, long length) {
    return null;
  }

  @Override
  public void whole(FrameHeader header) {}

  @Override
  public final void unusable(Throwable failed) {}

  @Override
  public final void brokeOff() {}
}
