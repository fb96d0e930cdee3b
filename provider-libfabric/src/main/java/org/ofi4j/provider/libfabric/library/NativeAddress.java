// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;

/** Addresses as libfabric packs them. */
public final class NativeAddress {
  private NativeAddress() {}

  /** An address; text may come with its zero byte or without, as provider {@code sm2} has it. */
  public static FabricAddress of(AddressFormat format, byte[] packed) {
    int length = packed.length;
    boolean endless = format == AddressFormat.STR && (length == 0 || packed[length - 1] != 0);
    byte[] whole = endless ? Arrays.copyOf(packed, length + 1) : packed;
    return FabricAddress.of(format, MemorySegment.ofArray(whole));
  }

  /**
   * Refuses an address of a format that a fabric does not have.
   *
   * @param fabric whose format it is, in words
   */
  public static void checkFormat(FabricAddress address, AddressFormat format, Object fabric) {
    if (!format.contains(address.format())) {
      throw invalid(
          "address %s is a %s address, but %s has %s"
              .formatted(address, address.format(), fabric, format));
    }
  }
}
