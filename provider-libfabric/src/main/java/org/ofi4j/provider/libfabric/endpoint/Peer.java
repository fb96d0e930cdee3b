// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/** One address that is or was spoken to. Guarded by the lock of the domain. */
final class Peer {
  /** The native handle of a peer that has none. */
  static final long NONE = -1;

  /** The packed address, which never changes. */
  final byte[] address;

  /** What libfabric knows the peer by, or {@link #NONE}. */
  long handle = NONE;

  /** Since which turn of the domain it has had no entry; 0 while it has one. */
  long goneSince;

  /** Operations under way that name the peer. */
  int outstanding;

  private final MemorySegment bytes;

  /** The file that tells whether the peer is there; null where a fabric has none. */
  final @Nullable PeerFile file;

  Peer(byte[] address, @Nullable PeerFile file) {
    this.address = address;
    this.file = file;
    bytes = MemorySegment.ofArray(address);
  }

  /** Whether the peer was there, and is not any more, as far as that is noticed. */
  boolean isGone() {
    return file != null && file.isGone();
  }

  /** Closes the descriptor of its file, if it has one. */
  void close() {
    if (file != null) {
      file.close();
    }
  }

  /** Whether the first bytes of some memory are the address. */
  boolean hasAddress(MemorySegment packed, int length) {
    return length == address.length
        && MemorySegment.mismatch(bytes, 0, length, packed, 0, length) < 0;
  }
}
