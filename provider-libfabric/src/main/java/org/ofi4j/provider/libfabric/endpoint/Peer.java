// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;

/** One address that is or was spoken to. Guarded by the lock of the domain. */
final class Peer {
  /** The native handle of a peer that has none. */
  static final long NONE = -1;

  /** The packed address, which never changes. */
  final byte[] address;

  /** What libfabric knows the peer by, or {@link #NONE}. */
  long handle = NONE;

  /** When to look again whether it is there, by {@link System#nanoTime}. */
  long nextLook = System.nanoTime();

  /** Since which turn of the domain it has had no entry; 0 while it has one. */
  long goneSince;

  /** Operations under way that name the peer. */
  int outstanding;

  private final MemorySegment bytes;

  Peer(byte[] address) {
    this.address = address;
    bytes = MemorySegment.ofArray(address);
  }

  /** Whether the first bytes of some memory are the address. */
  boolean hasAddress(MemorySegment packed, int length) {
    return length == address.length
        && MemorySegment.mismatch(bytes, 0, length, packed, 0, length) < 0;
  }
}
