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
import org.ofi4j.Insertion;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.Inserted;

/**
 * Every call that takes insertion flags, each putting {@code A(1)} in. What the pages say of flags
 * has to hold for all of them (C-17).
 */
enum InsertCall {
  /** {@code fi_av_insert} of packed addresses. */
  INSERT_PACKED,
  /** {@code fi_av_insert} of values. */
  INSERT_VALUES,
  /** {@code fi_av_insertsvc} into arrays. */
  SERVICE_PACKED,
  /** {@code fi_av_insertsvc} with options. */
  SERVICE_VALUES,
  /** {@code fi_av_insertsym} into arrays. */
  SYMMETRIC_PACKED,
  /** {@code fi_av_insertsym} with options. */
  SYMMETRIC_VALUES;

  private static final String NODE = "10.1.1.1";
  private static final String SERVICE = String.valueOf(Addresses.PORT);

  /** Whether the call fills arrays of the caller's. */
  boolean isPacked() {
    return this == INSERT_PACKED || this == SERVICE_PACKED || this == SYMMETRIC_PACKED;
  }

  /** Inserts {@code A(1)} by a call that fills arrays. */
  int packed(
      AddressVector vector,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    return switch (this) {
      case INSERT_PACKED -> {
        MemorySegment address =
            Addresses.pack(vector.format(), List.of(Addresses.a(vector.format(), 1)));
        yield vector.insert(address, 1, handles, errors, flags, context);
      }
      case SERVICE_PACKED -> vector.insertService(NODE, SERVICE, handles, errors, flags, context);
      case SYMMETRIC_PACKED ->
          vector.insertSymmetric(NODE, 1, SERVICE, 1, handles, errors, flags, context);
      default -> throw new UnsupportedOperationException(name());
    };
  }

  private Insertion values(AddressVector vector, InsertOptions options) {
    return switch (this) {
      case INSERT_VALUES -> vector.insert(List.of(Addresses.a(vector.format(), 1)), options);
      case SERVICE_VALUES -> vector.insertService(NODE, SERVICE, options);
      case SYMMETRIC_VALUES -> vector.insertSymmetric(NODE, 1, SERVICE, 1, options);
      default -> throw new UnsupportedOperationException(name());
    };
  }

  /** Inserts {@code A(1)} with flags; {@code input} is what {@code fi} holds on input. */
  Inserted insert(AddressVector vector, long flags, long @Nullable [] input) {
    if (!isPacked()) {
      return Inserted.of(values(vector, InsertOptions.of(flags, input)));
    }
    MemorySegment handles = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    handles.set(ValueLayout.JAVA_LONG, 0, input == null ? 0x55 : input[0]);
    MemorySegment errors = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    errors.set(ValueLayout.JAVA_INT, 0, -1);
    boolean asked = (flags & InsertFlag.SYNC_ERR.mask()) != 0;
    int result = packed(vector, handles, asked ? errors : null, flags, null);
    return Inserted.of(result, handles, errors);
  }
}
