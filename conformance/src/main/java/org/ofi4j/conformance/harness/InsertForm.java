// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorFlag;

/** The ways to insert a list of addresses. A rule about inserting has to hold for each of them. */
public enum InsertForm {
  /** Packed addresses in one call. */
  PACKED,
  /** Values in one call. */
  COLLECTION,
  /** A call for each address; takes neither flags nor context. */
  SINGLE;

  /**
   * {@code ins(list, fi, flags, ctx)}.
   *
   * @param flags bits of {@link InsertFlag}
   * @param input what {@code fi} holds on input, if flags say so
   */
  public Inserted insert(
      AddressVector vector,
      List<? extends FabricAddress> list,
      long flags,
      long @Nullable [] input,
      @Nullable Object context) {
    return switch (this) {
      case PACKED -> packed(vector, list, flags, input, context);
      case COLLECTION ->
          Inserted.of(vector.insert(list, InsertOptions.of(flags, input).withContext(context)));
      case SINGLE -> {
        if (flags != 0 || input != null || context != null) {
          throw new IllegalArgumentException("the form for one address takes no options");
        }
        yield oneByOne(vector, list);
      }
    };
  }

  private static Inserted packed(
      AddressVector vector,
      List<? extends FabricAddress> list,
      long flags,
      long @Nullable [] input,
      @Nullable Object context) {
    MemorySegment handles = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, list.size() + 1L);
    handles.fill((byte) 0x55);
    if (input != null) {
      MemorySegment.copy(
          MemorySegment.ofArray(input), 0, handles, 0, (long) Long.BYTES * input.length);
    }
    handles = handles.asSlice(0, (long) Long.BYTES * list.size());
    MemorySegment errors =
        Arena.ofAuto()
            .allocate(ValueLayout.JAVA_INT, list.size() + 1L)
            .asSlice(0, (long) Integer.BYTES * list.size());
    errors.fill((byte) 0x55);
    long asked = takesStatuses(vector) ? flags | InsertFlag.SYNC_ERR.mask() : flags;
    int result =
        vector.insert(
            Addresses.pack(vector.format(), list),
            list.size(),
            handles,
            (asked & InsertFlag.SYNC_ERR.mask()) == 0 ? null : errors,
            asked,
            context);
    return Inserted.of(result, handles, errors);
  }

  // Statuses come with FI_SYNC_ERR alone, which 1.5 brought, on synchronous vectors (AV-101).
  @SuppressWarnings("deprecation")
  private static boolean takesStatuses(AddressVector vector) {
    return vector.domain().info().apiVersion().isAtLeast(ApiVersion.V1_5)
        && (vector.options().flags() & VectorFlag.EVENT.mask()) == 0;
  }

  private static Inserted oneByOne(AddressVector vector, List<? extends FabricAddress> list) {
    long[] fi = new long[list.size()];
    int[] st = new int[list.size()];
    Arrays.fill(fi, Handles.NOT_AVAILABLE);
    int inserted = 0;
    for (int i = 0; i < fi.length; i++) {
      try {
        fi[i] = vector.insert(list.get(i));
        inserted++;
      } catch (FabricException failure) {
        st[i] = failure.errno().number();
      }
    }
    return Inserted.of(fi, st, inserted);
  }

  /** {@code ins(list, fi)}. */
  public Inserted insert(AddressVector vector, List<? extends FabricAddress> list) {
    return insert(vector, list, 0, null, null);
  }

  /** {@code ins(list, fi, 0, ctx)} on an asynchronous vector. */
  public Inserted insert(
      AddressVector vector, List<? extends FabricAddress> list, @Nullable Object context) {
    return insert(vector, list, 0, null, context);
  }
}
