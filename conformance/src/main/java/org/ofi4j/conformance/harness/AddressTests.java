// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;

/**
 * A class of tests with addresses, whichever ones the provider under test has: IPv4 addresses, or
 * the same as text. They are those of vectors that are opened with a {@link Setup} without format.
 */
public abstract class AddressTests {
  private @Nullable Contender contender;
  private @Nullable AddressFormat format;

  void use(Contender tested) {
    contender = tested;
  }

  /** The format of the addresses. */
  protected final AddressFormat format() {
    AddressFormat known = format;
    if (known == null) {
      known = Expect.present(contender).format();
      format = known;
    }
    return known;
  }

  /** {@code A(i)}. */
  protected final FabricAddress a(int i) {
    return Addresses.a(format(), i);
  }

  /** {@code A(from)} to {@code A(to)}, both included. */
  protected final List<FabricAddress> list(int from, int to) {
    return Addresses.list(format(), from, to);
  }

  /** {@code BAD}. */
  protected final FabricAddress bad() {
    return Addresses.bad(format());
  }

  /** An IPv4 address as vectors hold it. */
  protected final FabricAddress ipv4(int address, int port) {
    return Addresses.ipv4(format(), address, port);
  }

  /** Addresses one behind the other. */
  protected final MemorySegment pack(FabricAddress... addresses) {
    return pack(List.of(addresses));
  }

  /** Addresses one behind the other. */
  protected final MemorySegment pack(List<? extends FabricAddress> addresses) {
    return Addresses.pack(format(), addresses);
  }
}
