// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Insertion;

/** Expectations that nearly every rule has. */
public final class Expect {
  private Expect() {}

  /** A call that has to fail. */
  public static FabricException failure(Errno errno, ThrowingCallable call) {
    try {
      call.call();
    } catch (FabricException failure) {
      assertThat(failure.errno()).as("errno of \"%s\"", failure.getMessage()).isEqualTo(errno);
      assertThat(failure.code()).isEqualTo(-errno.number());
      assertThat(failure.getMessage())
          .as("words beyond name and number of the errno")
          .hasSizeGreaterThan((errno.name() + " (" + errno.number() + "): ").length());
      return failure;
    } catch (Throwable other) {
      throw new AssertionError("expected errno " + errno + ", but got " + other, other);
    }
    throw new AssertionError("expected errno " + errno + ", but the call succeeded");
  }

  /** A call whose arguments are wrong, which is what most calls that fail have in common. */
  public static void invalid(ThrowingCallable call) {
    failure(Errno.EINVAL, call);
  }

  /** A close that has to wait until these are closed. */
  public static void busy(ThrowingCallable close, FabricObject... holders) {
    assertThat(failure(Errno.EBUSY, close))
        .isInstanceOfSatisfying(
            FabricBusyException.class,
            busy -> assertThat(busy.holders()).containsExactlyInAnyOrder(holders));
  }

  /** A null where a value is needed, which is what the test is about. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  public static <T> T missing() {
    return null;
  }

  /** A vector whose entries are just these addresses, at the handles given. */
  public static void entries(
      AddressVector vector, long[] handles, List<? extends FabricAddress> addresses) {
    assertThat(handles).hasSize(addresses.size());
    for (int i = 0; i < handles.length; i++) {
      address(vector, handles[i], addresses.get(i));
    }
  }

  /** A vector with these addresses at the first indices. */
  public static void entries(AddressVector vector, List<? extends FabricAddress> addresses) {
    entries(vector, LongStream.range(0, addresses.size()).toArray(), addresses);
  }

  /** An entry, read in every way that there is. */
  public static void address(AddressVector vector, long handle, FabricAddress expected) {
    assertThat(vector.lookup(handle)).as("lookup of %s", text(handle)).isEqualTo(expected);
    byte[] packed = Addresses.pack(expected);
    MemorySegment buffer = MemorySegment.ofArray(new byte[packed.length + 8]);
    assertThat(vector.lookup(handle, buffer)).as("packed length").isEqualTo(packed.length);
    assertThat(buffer.asSlice(0, packed.length).toArray(ValueLayout.JAVA_BYTE))
        .as("packed form of %s", text(handle))
        .isEqualTo(packed);
  }

  /**
   * A call that fills a buffer: as far as the buffer goes and no further, and it says how much room
   * it would take.
   *
   * @param call gives the size that is needed
   */
  public static void fillsBuffers(byte[] whole, ToIntFunction<MemorySegment> call) {
    for (int capacity = 0; capacity <= whole.length + 4; capacity++) {
      byte[] memory = new byte[whole.length + 8];
      Arrays.fill(memory, (byte) 0x55);
      int needed = call.applyAsInt(MemorySegment.ofArray(memory).asSlice(0, capacity));
      assertThat(needed).as("size needed, capacity %d", capacity).isEqualTo(whole.length);
      int copied = Math.min(capacity, whole.length);
      assertThat(Arrays.copyOf(memory, copied)).isEqualTo(Arrays.copyOf(whole, copied));
      assertThat(Arrays.copyOfRange(memory, copied, memory.length))
          .as("bytes past capacity %d", capacity)
          .containsOnly((byte) 0x55);
    }
  }

  /** A handle as the unsigned number that it is (AV-005). */
  public static String text(long handle) {
    return "handle " + Long.toUnsignedString(handle);
  }

  /**
   * An insertion of many peers that has to succeed, unless the fabric has no room for so many,
   * which aborts the test.
   */
  public static void room(Insertion insertion) {
    if (insertion.inserted() > 0 && insertion.inserted() < insertion.requested()) {
      Assumptions.abort(
          "not offered: room for %s peers: %s"
              .formatted(insertion.requested(), insertion.failures().getFirst()));
    }
    insertion.orThrow();
  }

  /** Something that has to be there. */
  public static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new AssertionError("expected something, but got null");
    }
    return value;
  }

  /** A handle that names no entry. */
  public static void unset(AddressVector vector, long handle) {
    invalid(() -> vector.lookup(handle));
  }
}
