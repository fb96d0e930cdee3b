// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/** A queue that may have a descriptor to wait for. */
public abstract class WaitableQueue extends NativeObject {
  /** Bytes that FI_GETWAIT may write, whatever the kind of object. */
  private static final int WAIT_OBJECT = 64;

  private final int descriptor;

  /** The queue's address: a list of queues with this one alone. */
  private final MemorySegment list;

  /**
   * Opens a queue.
   *
   * @param fill sets the members of the struct at an address that are not zero
   * @param waitObject the offset of the member for the kind of waiting
   * @param waiting whether there is to be a descriptor to wait for
   */
  WaitableQueue(
      NativeObject on,
      String what,
      NativeFunction with,
      LongConsumer fill,
      long waitObject,
      boolean waiting) {
    super(
        on,
        what,
        with,
        attributes -> {
          fill.accept(attributes);
          RawMemory.putInt(
              attributes + waitObject, waiting ? Constants.WAIT_FD : Constants.WAIT_NONE);
        });
    list = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, address());
    descriptor = waiting ? waitDescriptor() : -1;
  }

  private int waitDescriptor() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment object = arena.allocate(WAIT_OBJECT, Long.BYTES);
      return control(Constants.GETWAIT, object.address()) == 0
          ? RawMemory.getInt(object.address())
          : -1;
    }
  }

  /** Names the queue where several could be named. */
  final MemorySegment list() {
    return list;
  }

  /** The descriptor that is ready when there is something to read; -1 if there is none. */
  public final int descriptor() {
    return descriptor;
  }

  /**
   * {@code fi_cq_strerror} or {@code fi_eq_strerror}: what the fabric says of an error, or null.
   */
  final @Nullable String describe(MemorySegment strerror, int providerErrno, long data) {
    return strerror.address() == 0
        ? null
        : RawMemory.text(Downcalls.call(strerror, address(), providerErrno, data, 0, 0));
  }

  /** What reading was answered with, other than that there is nothing or an error to be read. */
  public final FabricException failed(int errno) {
    return NativeErrors.failed("reading " + this, errno);
  }
}
