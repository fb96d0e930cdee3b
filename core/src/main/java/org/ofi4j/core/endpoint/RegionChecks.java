// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions;

/** Checks of memory that an application registers, and of what it asks for with that. */
public final class RegionChecks {
  private static final long ACCESS = Flag.maskOf(Access.values());

  private RegionChecks() {}

  /**
   * Refuses memory that cannot be registered as options say.
   *
   * @param mover the thread of automatic progress that is to use the memory; null for the calling
   *     thread
   */
  public static MemorySegment registrable(
      @Nullable MemorySegment memory, RegisterOptions options, @Nullable Thread mover) {
    long access = options.access();
    OptionalLong wanted = options.key();
    MemorySegment given = PostedMemory.usable(memory, "memory", mover);
    if ((access & ~ACCESS) != 0) {
      throw invalid(
          "access 0x" + Long.toHexString(access & ~ACCESS) + " means nothing: give bits of Access");
    }
    if (given.byteSize() == 0) {
      throw invalid("memory has no bytes: a region has at least one that peers can reach");
    }
    if (given.isReadOnly() && (access & Access.REMOTE_WRITE.mask()) != 0) {
      throw invalid("memory is read-only: register it without access REMOTE_WRITE");
    }
    if (wanted.isPresent() && wanted.getAsLong() == Handles.KEY_NOT_AVAILABLE) {
      throw new FabricException(
          Errno.EKEYREJECTED, "key KEY_NOT_AVAILABLE stands for none: take another");
    }
    return given;
  }
}
