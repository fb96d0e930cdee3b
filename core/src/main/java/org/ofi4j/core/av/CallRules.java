// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.RemoveFlag;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.core.source.SegmentChecks;

/** What the calls other than insertions refuse as a whole, before anything has changed. */
record CallRules(VectorOptions options, FabricInfo info, VectorBehaviour behaviour) {
  /** {@code FI_XPU}, the one flag of {@code fi_av_lookup2}. */
  private static final long XPU = 1L << 44;

  /** {@code fi_av_bind} (AV-071 to AV-073); the queue as what it is. */
  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  CoreEventQueue checkBind(AddressVector vector, @Nullable EventQueue queue, long flags) {
    if (flags != 0) {
      throw invalid(text(flags) + " are given, but none exist for bind");
    }
    if ((options.flags() & VectorFlag.EVENT.mask()) == 0) {
      throw invalid(vector + " is synchronous: open it with FI_EVENT to bind an event queue");
    }
    if (!(queue instanceof CoreEventQueue core)
        || !core.fabric().equals(vector.domain().fabric())) {
      throw invalid("queue " + queue + " is no event queue of the vector's fabric");
    }
    return core;
  }

  /** {@code fi_av_remove} (AV-134, AV-135); the handles, or null if there are none. */
  @Nullable MemorySegment checkRemove(@Nullable MemorySegment handles, int count, long flags) {
    boolean keys = flags == RemoveFlag.AUTH_KEY.mask() && behaviour.authKeys();
    if (flags != 0 && !keys) {
      throw invalid(text(flags) + " are not for removals in API version " + info.apiVersion());
    }
    OpenChecks.checkWritable(options, "removed from");
    SegmentChecks.count(count, "count");
    if (count == 0) {
      return null;
    }
    MemorySegment readable = SegmentChecks.readable(handles, "handles");
    SegmentChecks.array(readable, "handles", count, Long.BYTES);
    if (keys && !behaviour.keysInVector(info)) {
      throw invalid("FI_AUTH_KEY says that handles name keys, of which this vector has none");
    }
    return readable;
  }

  /** {@code fi_av_set_user_id} (AV-175, AV-177). */
  void checkSetUserId(long handle, long flags) {
    if (!behaviour.userIdsLater()) {
      throw newer("setUserId");
    }
    if ((options.flags() & VectorFlag.USER_ID.mask()) == 0) {
      throw invalid("the vector was not opened with FI_AV_USER_ID, so ids cannot be set later");
    }
    if (flags == RemoveFlag.AUTH_KEY.mask() && !behaviour.keysInVector(info)) {
      throw invalid(HandleLayout.text(handle) + " is no authorization key of this vector");
    }
    if ((flags & ~RemoveFlag.AUTH_KEY.mask()) != 0) {
      throw invalid(text(flags) + " are not for user ids");
    }
  }

  /** Calls for authorization keys came late (AV-001). */
  void checkKeyCall(String call) {
    if (!behaviour.authKeys()) {
      throw newer(call);
    }
  }

  /** {@code fi_av_insert_auth_key} (AV-156, AV-160, AV-161, AV-170). No text shows the key. */
  void checkInsertKey(byte @Nullable [] key, long flags) {
    checkKeyCall("insertAuthKey");
    if (key == null) {
      throw invalid("key is null, but its bytes are needed");
    }
    if (flags != 0) {
      throw invalid(text(flags) + " are given, but none exist for keys");
    }
    OpenChecks.checkWritable(options, "inserted into");
    if (!behaviour.keysInVector(info)) {
      throw invalid(
          ("domain %s was not opened for authorization keys in the vector: ask for"
                  + " FI_AV_AUTH_KEY in the hints")
              .formatted(info.domain().name()));
    }
    if (key.length != AuthKeys.SIZE) {
      throw invalid("key has " + key.length + " bytes, but keys here have " + AuthKeys.SIZE);
    }
  }

  /** {@code fi_av_set} came late (AV-226). */
  void checkSet() {
    if (!behaviour.sets()) {
      throw unsupported(
          "sets came with API version 1.9, but " + info.apiVersion() + " was asked for");
    }
  }

  /** {@code fi_av_lookup2} (AV-225, D-08). */
  static void checkLookup(long flags, @Nullable Object consumer) {
    if ((flags & ~XPU) != 0) {
      throw invalid(text(flags & ~XPU) + " are given, but only FI_XPU exists for lookups");
    }
    if (flags != 0) {
      throw unsupported("FI_XPU asks for addresses for accelerators, which are not supported");
    }
    if (consumer != null) {
      throw invalid("consumer is given without a flag that says what it is");
    }
  }

  /** {@code fi_av_straddr} with a length by value (AV-152). */
  void checkTextByLength() {
    if (!behaviour.lengthsByValue()) {
      throw unsupported("a length by value is of the 1.0 candidate: pass a slice of the buffer");
    }
  }

  /** Saving to a file, which keys never enter. */
  void checkSave(@Nullable Path path) {
    if (path == null) {
      throw invalid("path is null: name the file to save to");
    }
    if (behaviour.keysInVector(info)) {
      throw unsupported(
          "a vector with authorization keys cannot be saved to "
              + path
              + ": keys never enter a file");
    }
  }

  private FabricException newer(String call) {
    return unsupported(
        call + " came with API version 1.20, but " + info.apiVersion() + " was asked for");
  }

  private static String text(long flags) {
    return "flags 0x" + Long.toHexString(flags);
  }
}
