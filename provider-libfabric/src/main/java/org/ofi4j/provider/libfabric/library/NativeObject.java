// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * {@code struct fid}: an object of libfabric, from being opened to being closed. Whoever calls sees
 * to it that calls of one domain are made one at a time, and none after closing.
 */
public class NativeObject {
  private final Libfabric library;
  private final String what;
  private final long address;
  private boolean open = true;

  /**
   * Creates an object that was just opened.
   *
   * @param what it is, in words
   */
  NativeObject(Libfabric library, String what, long address) {
    this.library = library;
    this.what = what;
    this.address = address;
  }

  /**
   * Opens an object on another one.
   *
   * @param what it is, in words
   * @param attributes the address of the struct to open it with
   */
  NativeObject(NativeObject on, String what, NativeFunction with, long attributes) {
    this(on.library, what, on.open(what, with, attributes));
  }

  /**
   * Opens an object on another one.
   *
   * @param what it is, in words
   * @param fill sets the members of the struct at an address that are not zero
   */
  NativeObject(NativeObject on, String what, NativeFunction with, LongConsumer fill) {
    this(on.library, what, on.open(what, with, fill));
  }

  /** Opens an object: gives the call a place for the address of the object. */
  static long opened(Libfabric library, String what, LongUnaryOperator call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
      int errno = (int) library.keepingSignals(() -> call.applyAsLong(result.address()));
      NativeErrors.check("opening " + what, errno);
      return result.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  final Libfabric library() {
    return library;
  }

  /** Where the object is. */
  public final long address() {
    return address;
  }

  /**
   * Returns a function of a table of the object, which begins with its size, because later versions
   * have longer ones.
   *
   * @return the function; {@link MemorySegment#NULL} if the object has none of that kind
   */
  public final MemorySegment function(NativeFunction function) {
    long table = RawMemory.getLong(address + function.pointer);
    return table == 0 || RawMemory.getLong(table) <= function.offset
        ? MemorySegment.NULL
        : MemorySegment.ofAddress(RawMemory.getLong(table + function.offset));
  }

  /** Returns a function that must be there. */
  final MemorySegment required(NativeFunction function) {
    MemorySegment found = function(function);
    if (found.address() == 0) {
      throw new FabricException(
          Errno.ENOSYS, what + " has no function " + function.member() + " in libfabric");
    }
    return found;
  }

  private long open(String opened, NativeFunction with, long attributes) {
    MemorySegment function = required(with);
    return opened(
        library, opened, result -> Downcalls.call(function, address, attributes, result, 0));
  }

  private long open(String opened, NativeFunction with, LongConsumer fill) {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(Offsets.ROOM, Long.BYTES).address();
      fill.accept(attributes);
      return open(opened, with, attributes);
    }
  }

  /** {@code fi_bind}. */
  public final void bind(NativeObject other, long flags) {
    MemorySegment bind = function(NativeFunction.FID_BIND);
    if (bind.address() == 0) {
      throw new FabricException(Errno.ENOSYS, what + " takes no " + other.what + " in libfabric");
    }
    NativeErrors.check(
        "binding " + other.what + " to " + what,
        Downcalls.call(bind, address, other.address, flags));
  }

  /** {@code fi_control}; 0 or a negative errno. */
  final int control(int command, long argument) {
    MemorySegment control = function(NativeFunction.FID_CONTROL);
    return control.address() == 0
        ? -Errno.ENOSYS.number()
        : (int) Downcalls.call(control, address, command, argument);
  }

  /** {@code fi_enable}. */
  public final void enable() {
    NativeErrors.check(
        "enabling " + what, library.keepingSignals(() -> control(Constants.ENABLE, 0)));
  }

  /** {@code fi_close}. Closing it again does nothing, unless that was refused. */
  public final void close() {
    if (open) {
      MemorySegment close = function(NativeFunction.FID_CLOSE);
      NativeErrors.check(
          "closing " + what, library.keepingSignals(() -> Downcalls.call(close, address)));
      open = false;
      closed();
    }
  }

  /** Leaves the object open in libfabric for ever; closing it does nothing from now on. */
  public final void abandon() {
    open = false;
  }

  /** Lets go of what calls of the object have used. */
  void closed() {}

  @Override
  public final String toString() {
    return what;
  }
}
