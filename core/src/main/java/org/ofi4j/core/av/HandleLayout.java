// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;

/**
 * From entry index to handle and back, for one vector. Immutable.
 *
 * <p>Handles that are indices are laid out as {@link Handles} draws them, {@code n} being the bits
 * kept free for receive contexts:
 *
 * <pre>
 *   63 ......... 64-n | 63-n ............ 32 |   31   | 30 ................ 0
 *   receive context   |      peer group      |  key?  |      entry index
 * </pre>
 *
 * <p>Handles of a MAP vector below API version 2.0 are opaque, and there are no groups (D-12,
 * D-11):
 *
 * <pre>
 *   63 ......... 64-n | 63-n ........................ 0
 *   receive context   |  base + 16 x index, low 4 bits: 0 for an address, else a key
 * </pre>
 *
 * <p>All ones is recognised before anything is taken apart.
 *
 * @param handlesAreIndices whether the handle of an entry is its index, rather than opaque
 * @param base where opaque handles begin; 0 where handles are indices
 * @param grouped whether handles may carry a peer group
 * @param maxGroup the largest peer group of the domain, 0 for none
 * @param namesReceiveContexts whether transfers may name receive contexts
 */
record HandleLayout(
    boolean handlesAreIndices,
    long base,
    int receiveContextBits,
    boolean grouped,
    int maxGroup,
    boolean namesReceiveContexts) {
  /** Where opaque handles begin: high enough that none is mistaken for an index by chance. */
  static final long PRIVATE_BASE = 0x1000;

  /** Instead of a largest group: handles carry none, and their bits mean what they did before. */
  static final int NO_GROUPS = -1;

  private static final int SLOT_SHIFT = 4;

  /** What the low bits of an opaque handle are if it is that of an authorization key. */
  private static final long KEY_TAG = 1;

  private static final long SLOT_SPAN = 1L << (Handles.INDEX_BITS + SLOT_SHIFT);
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  /** Only for messages: bits that a group fills before it reaches those of receive contexts. */
  private static final long LOW_GROUPS = 0xFFFF;

  /**
   * The layout of a vector's handles; refuses one in which parts would overlap.
   *
   * @param indices whether handles are indices
   * @param receiveContextBits bits kept free for receive contexts
   * @param maxGroup the domain's largest peer group, 0 if only the default one is used; {@link
   *     #NO_GROUPS} in versions that have none
   * @param namesReceiveContexts whether transfers may name receive contexts
   */
  static HandleLayout of(
      boolean indices, int receiveContextBits, int maxGroup, boolean namesReceiveContexts) {
    checkBits(receiveContextBits);
    if (maxGroup > 0 && maxGroup >= (1L << (Integer.SIZE - receiveContextBits)) - 1) {
      throw invalid(
          ("receiveContextBits %s leave too few bits for the domain's largest peer group %s: it"
                  + " must be below 2^%s - 1; ask for fewer bits or a smaller max_group_id")
              .formatted(receiveContextBits, maxGroup, Integer.SIZE - receiveContextBits));
    }
    if (indices) {
      boolean grouped = maxGroup != NO_GROUPS;
      int most = Math.max(0, maxGroup);
      return new HandleLayout(true, 0, receiveContextBits, grouped, most, namesReceiveContexts);
    }
    long room = room(receiveContextBits);
    if (SLOT_SPAN > room) {
      throw tooManyBits(receiveContextBits, 29);
    }
    long base = PRIVATE_BASE + SLOT_SPAN <= room ? PRIVATE_BASE : 0;
    return new HandleLayout(false, base, receiveContextBits, false, 0, namesReceiveContexts);
  }

  /**
   * The layout of a named MAP vector's handles, which begin where {@code map_addr} says (D-12);
   * refuses a base that leaves no room for them.
   *
   * @param mapAddress the base, as other processes may have it too; 0 if it is yet to be chosen
   * @param receiveContextBits bits kept free for receive contexts
   * @param namesReceiveContexts whether transfers may name receive contexts
   */
  static HandleLayout opaqueFrom(
      long mapAddress, int receiveContextBits, boolean namesReceiveContexts) {
    checkBits(receiveContextBits);
    long room = room(receiveContextBits);
    if (2 * SLOT_SPAN > room) {
      throw tooManyBits(receiveContextBits, 28);
    }
    boolean aligned = (mapAddress & ((1 << SLOT_SHIFT) - 1)) == 0;
    if (!aligned || mapAddress < 0 || mapAddress > room - SLOT_SPAN) {
      throw invalid(
          ("mapAddress %s is no base for MAP handles: it must be a multiple of 16 and, with %s"
                  + " receive context bits, at most %s; 0 lets the vector choose")
              .formatted(hex(mapAddress), receiveContextBits, hex(room - SLOT_SPAN)));
    }
    return new HandleLayout(false, mapAddress, receiveContextBits, false, 0, namesReceiveContexts);
  }

  /**
   * Returns the layout with another base.
   *
   * @throws FabricException with {@link Errno#EINVAL} if there is no room from there on
   */
  HandleLayout from(long otherBase) {
    return opaqueFrom(otherBase, receiveContextBits, namesReceiveContexts);
  }

  private static void checkBits(int receiveContextBits) {
    if (receiveContextBits < 0 || receiveContextBits > Handles.MAX_RECEIVE_CONTEXT_BITS) {
      throw invalid(
          "receiveContextBits %s is not within 0 to %s"
              .formatted(receiveContextBits, Handles.MAX_RECEIVE_CONTEXT_BITS));
    }
  }

  /** Where the addresses of handles end. */
  private static long room(int receiveContextBits) {
    return 1L << Math.min(Long.SIZE - receiveContextBits, Long.SIZE - 2);
  }

  private static FabricException tooManyBits(int receiveContextBits, int most) {
    return invalid(
        ("receiveContextBits %s leave too few bits for MAP handles, which take 2^35: ask for at"
                + " most %s, or use TABLE")
            .formatted(receiveContextBits, most));
  }

  long handle(int index) {
    return handlesAreIndices ? index : base + ((long) index << SLOT_SHIFT);
  }

  /** The handle that an outcome stands for: {@link Handles#NOT_AVAILABLE} for a negative errno. */
  long handleOf(int outcome) {
    return outcome < 0 ? Handles.NOT_AVAILABLE : handle(outcome);
  }

  /** Writes an outcome for the caller at the position of its address (AV-102, AV-207). */
  void write(
      int outcome, int position, @Nullable MemorySegment handles, @Nullable MemorySegment errors) {
    if (handles != null) {
      handles.setAtIndex(JAVA_LONG_UNALIGNED, position, handleOf(outcome));
    }
    if (errors != null) {
      errors.setAtIndex(JAVA_INT_UNALIGNED, position, Math.max(0, -outcome));
    }
  }

  /**
   * The entry that a handle names in calls on the vector, whatever its receive context.
   *
   * @return the index, or -1 if no entry can have such a handle
   */
  int index(long handle) {
    if (handlesAreIndices && Long.compareUnsigned(handle, Handles.MAX_ENTRIES) < 0) {
      return (int) handle; // as nearly all are: an index and nothing else
    }
    if (handle == Handles.NOT_AVAILABLE) {
      return -1;
    }
    long address = address(handle);
    if (!handlesAreIndices) {
      long offset = address - base;
      return offset >= 0 && offset < SLOT_SPAN && (offset & ((1 << SLOT_SHIFT) - 1)) == 0
          ? entry(offset >>> SLOT_SHIFT)
          : -1;
    }
    // The group needs no shift of its own: above the index there is nothing else in the address.
    return address >>> Handles.GROUP_SHIFT <= maxGroup ? entry(address & LOW_HALF) : -1;
  }

  /**
   * As {@link #index}, for a transfer, which may name a receive context only where there are any.
   */
  int transferIndex(long handle) {
    return !namesReceiveContexts && address(handle) != handle ? -1 : index(handle);
  }

  /**
   * The peer group that a handle carries in a transfer.
   *
   * @return the group, 0 where handles carry none; -1 for bits that are no group of the domain
   */
  int group(long handle) {
    long address = address(handle);
    // Receives may name a receive context of whomever.
    if (!grouped || address == address(-1)) {
      return 0;
    }
    long group = address >>> Handles.GROUP_SHIFT;
    return group <= maxGroup ? (int) group : -1;
  }

  /** Whether the source of a receive is anybody, be it in one group (D-11). */
  boolean isAnySource(long handle) {
    return handle == Handles.UNSPECIFIED
        || (grouped
            && (handle & LOW_HALF) == LOW_HALF
            && (namesReceiveContexts || address(handle) == handle)
            && group(handle) >= 0);
  }

  /** The receive context that a handle names in a transfer; 0 if it names none. */
  int receiveContext(long handle) {
    return receiveContextBits == 0 || handle == Handles.NOT_AVAILABLE
        ? 0
        : (int) (handle >>> (Long.SIZE - receiveContextBits));
  }

  /** Returns the bits of a handle below those of receive contexts. */
  private long address(long handle) {
    return handle & -1L >>> receiveContextBits;
  }

  private static int entry(long slot) {
    // Also refuses the bit that marks an authorization key (AV-164).
    return slot < Handles.MAX_ENTRIES ? (int) slot : -1;
  }

  long keyHandle(int number) {
    return handlesAreIndices ? Handles.AUTH_KEY_BIT | number : handle(number) | KEY_TAG;
  }

  /**
   * The authorization key that a handle names where a flag says that it names one, whatever its
   * receive context and group.
   *
   * @return its number, which no key need have; -1 if no key can have such a handle
   */
  int keyNumber(long handle) {
    // Without its mark it is the handle of an entry; what has no such mark gets it, and is none.
    return handle == Handles.NOT_AVAILABLE
        ? -1
        : index(handle ^ (handlesAreIndices ? Handles.AUTH_KEY_BIT : KEY_TAG));
  }

  /** Why a handle names no authorization key, for messages. */
  String keyRefusal(long handle) {
    String text = text(handle);
    if (keyNumber(handle) >= 0) {
      return text + " names no authorization key: it was never inserted, or has been removed";
    }
    return text + " is no handle of an authorization key, which FI_AUTH_KEY says that it is";
  }

  /** Why a handle names no entry, for messages. */
  String refusal(long handle) {
    String text = text(handle);
    if (handle == Handles.NOT_AVAILABLE) {
      return text + " is FI_ADDR_NOTAVAIL and names no entry";
    }
    if (index(handle) >= 0) {
      return text + " names no entry: it was never inserted, or has been removed";
    }
    if (isAnySource(handle)) {
      return text + " is any source in group " + group(handle) + ", which only receives take";
    }
    if (handlesAreIndices && address(handle) >>> Handles.GROUP_SHIFT > maxGroup) {
      return text + unfitting(handle);
    }
    return keyNumber(handle) >= 0
        ? text
            + " is that of an authorization key and names no entry: calls about keys say"
            + " FI_AUTH_KEY"
        : text + " is no handle of an address in this vector";
  }

  /** What bits above the index are that are no part of a handle here, for messages. */
  String unfitting(long handle) {
    // Receive contexts come down from the top, groups fill the lower bits.
    boolean context = (address(handle) >>> Handles.GROUP_SHIFT & LOW_GROUPS) <= maxGroup;
    String groups =
        " no peer group of the domain, whose largest is " + maxGroup + ": ask for max_group_id";
    if (!context) {
      return " has bits above the index that are" + groups;
    }
    return (" has bits of a receive context above the %s that the vector keeps for one: open it"
            + " with enough rx_ctx_bits%s")
        .formatted(receiveContextBits, maxGroup > 0 ? "; or they are" + groups : "");
  }

  /** Why an entry stays although it was to be removed, for messages. */
  static String unrecorded(long handle, String shortage) {
    return "%s stays: it is one of a range, and to record that it is gone found %s"
        .formatted(text(handle), shortage);
  }

  /** A handle in hexadecimal. */
  static String text(long handle) {
    return "handle " + hex(handle);
  }

  private static String hex(long number) {
    return "0x" + Long.toHexString(number);
  }
}
