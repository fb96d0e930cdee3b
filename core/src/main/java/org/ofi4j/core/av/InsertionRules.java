// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.source.SegmentChecks;

/** What the three insert calls refuse as a whole, before anything has changed. */
record InsertionRules(VectorOptions options, FabricInfo info, VectorBehaviour behaviour) {
  private static final long INPUT = InsertFlag.USER_ID.mask() | InsertFlag.AUTH_KEY.mask();

  /** Whether flags say that the array of handles holds something on input. */
  static boolean hasInput(long flags) {
    return (flags & INPUT) != 0;
  }

  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  boolean asynchronous() {
    return (options.flags() & VectorFlag.EVENT.mask()) != 0;
  }

  boolean nullMeansAny() {
    return behaviour.nullMeansAny();
  }

  /** What an asynchronous insertion of so many addresses returns (AV-203, AV-204). */
  int started(int count) {
    return behaviour.asynchronousReturnsCount() ? count : 0;
  }

  /**
   * Checks flags (AV-097 to AV-107).
   *
   * @param hasInput whether the call brought ids or keys
   */
  void checkFlags(long flags, boolean hasInput) {
    long unknown = flags & ~behaviour.insertFlags();
    if (unknown != 0) {
      throw badFlags(unknown, " are not for insertions in API version " + info.apiVersion());
    }
    if (asynchronous() && (flags & InsertFlag.SYNC_ERR.mask()) != 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "FI_SYNC_ERR is for synchronous vectors: this one reports to its event queue");
    }
    if ((flags & INPUT) != 0) {
      checkInput(flags, hasInput);
    }
    OpenChecks.checkWritable(options, "inserted into");
  }

  /** Checks what an entry is to have instead of its address; answers it. */
  FabricAddress checkReplace(@Nullable FabricAddress address) {
    if (address == null) {
      throw invalid("address is null, but an entry is to have it");
    }
    OpenChecks.checkWritable(options, "changed");
    return address;
  }

  private void checkInput(long flags, boolean hasInput) {
    if (!hasInput) {
      throw invalid("FI_AV_USER_ID and FI_AUTH_KEY need a value for each address on input");
    }
    boolean keys = behaviour.keysInVector(info);
    boolean userIds = (flags & InsertFlag.USER_ID.mask()) != 0;
    if ((flags & InsertFlag.AUTH_KEY.mask()) != 0) {
      if (!keys) {
        throw invalid("FI_AUTH_KEY needs a domain that was opened for keys in the vector");
      }
      if (!userIds) {
        return;
      }
    }
    if (keys || (options.flags() & VectorFlag.USER_ID.mask()) != 0) {
      throw invalid("FI_AV_USER_ID cannot be given with an insertion here: use setUserId");
    }
    if (!OpenChecks.hasUserIds(info)) {
      throw unsupported(
          "domain %s keeps no user ids: ask for the capability FI_AV_USER_ID in the hints"
              .formatted(info.domain().name()));
    }
  }

  void checkResults(
      int count, @Nullable MemorySegment handles, @Nullable MemorySegment errors, long flags) {
    if (handles == null && count > 0 && !behaviour.handlesAreIndices(options.type())) {
      throw invalid(
          "handles is null, but handles of a MAP vector cannot be predicted: pass memory"
              + " for them");
    }
    SegmentChecks.results(handles, "handles", count, Long.BYTES);
    boolean wanted = (flags & InsertFlag.SYNC_ERR.mask()) != 0;
    if (wanted && errors == null) {
      throw invalid("errors is null, but FI_SYNC_ERR reports there: pass 4 bytes for each address");
    }
    if (!wanted && errors != null) {
      throw invalid("errors is given without FI_SYNC_ERR, which reports there");
    }
    SegmentChecks.results(errors, "errors", count, Integer.BYTES);
    SegmentChecks.apart(
        handles,
        "handles",
        (long) count * Long.BYTES,
        errors,
        "errors",
        (long) count * Integer.BYTES);
    if (asynchronous()) {
      SegmentChecks.shared(handles, "handles");
    }
  }

  void checkInput(int count, long @Nullable [] input, long flags) {
    if (input != null && (flags & INPUT) == 0) {
      throw invalid("options carry input, but neither FI_AV_USER_ID nor FI_AUTH_KEY says what");
    }
    if (input != null && input.length != count) {
      throw invalid(
          "options carry %s values for %s addresses: give one for each"
              .formatted(input.length, count));
    }
  }
}
