// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.Inserted;

/**
 * Every call that takes insertion flags, each putting one IPv4 address in. What the pages say of
 * flags has to hold for all of them (C-17).
 */
enum InsertCall {
  /** {@code fi_av_insert} of packed addresses. */
  INSERT_PACKED(true) {
    @Override
    int packed(
        AddressVector vector,
        int i,
        @Nullable MemorySegment handles,
        @Nullable MemorySegment errors,
        long flags,
        @Nullable Object context) {
      return vector.insert(
          Addresses.pack(vector.format(), List.of(Addresses.a(i))),
          1,
          handles,
          errors,
          flags,
          context);
    }
  },
  /** {@code fi_av_insert} of values. */
  INSERT_VALUES(false) {
    @Override
    Inserted values(AddressVector vector, int i, InsertOptions options) {
      return Inserted.of(vector.insert(List.of(Addresses.a(i)), options));
    }
  },
  /** {@code fi_av_insertsvc} into arrays. */
  SERVICE_PACKED(true) {
    @Override
    int packed(
        AddressVector vector,
        int i,
        @Nullable MemorySegment handles,
        @Nullable MemorySegment errors,
        long flags,
        @Nullable Object context) {
      return vector.insertService(node(i), SERVICE, handles, errors, flags, context);
    }
  },
  /** {@code fi_av_insertsvc} with options. */
  SERVICE_VALUES(false) {
    @Override
    Inserted values(AddressVector vector, int i, InsertOptions options) {
      return Inserted.of(vector.insertService(node(i), SERVICE, options));
    }
  },
  /** {@code fi_av_insertsym} into arrays. */
  SYMMETRIC_PACKED(true) {
    @Override
    int packed(
        AddressVector vector,
        int i,
        @Nullable MemorySegment handles,
        @Nullable MemorySegment errors,
        long flags,
        @Nullable Object context) {
      return vector.insertSymmetric(node(i), 1, SERVICE, 1, handles, errors, flags, context);
    }
  },
  /** {@code fi_av_insertsym} with options. */
  SYMMETRIC_VALUES(false) {
    @Override
    Inserted values(AddressVector vector, int i, InsertOptions options) {
      return Inserted.of(vector.insertSymmetric(node(i), 1, SERVICE, 1, options));
    }
  };

  private static final String SERVICE = String.valueOf(Addresses.PORT);

  private final boolean packed;

  InsertCall(boolean packed) {
    this.packed = packed;
  }

  /** Whether the call fills arrays of the caller's. */
  boolean isPacked() {
    return packed;
  }

  int packed(
      AddressVector vector,
      int i,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    throw new UnsupportedOperationException(name());
  }

  Inserted values(AddressVector vector, int i, InsertOptions options) {
    throw new UnsupportedOperationException(name());
  }

  private static String node(int i) {
    return "10.1.1." + i;
  }

  /** Inserts {@code A(i)} with flags; {@code input} is what {@code fi} holds on input. */
  Inserted insert(AddressVector vector, int i, long flags, long @Nullable [] input) {
    if (!packed) {
      return values(vector, i, new InsertOptions(flags, input, null));
    }
    MemorySegment handles = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    handles.set(ValueLayout.JAVA_LONG, 0, input == null ? 0x55 : input[0]);
    MemorySegment errors = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    errors.set(ValueLayout.JAVA_INT, 0, -1);
    boolean asked = (flags & InsertFlag.SYNC_ERR.mask()) != 0;
    int result = packed(vector, i, handles, asked ? errors : null, flags, null);
    return Inserted.of(result, handles, errors);
  }
}
