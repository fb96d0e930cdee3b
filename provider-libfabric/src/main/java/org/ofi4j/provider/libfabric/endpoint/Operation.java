// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.RemotePlace;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Buffer;

/**
 * One operation, from being posted until libfabric has reported it; used again for another one.
 * Guarded by the lock of the domain.
 */
final class Operation {
  /** Where its context block is. */
  final long block;

  /** The one behind it in the backlog. */
  @Nullable Operation next;

  /** Which operation of its endpoint it is, in the order of posting. */
  long number;

  /** Whose it is; null while it is idle. */
  @Nullable OperationOwner owner;

  CounterFlag what = CounterFlag.SEND;
  boolean tagged;
  @Nullable Object context;

  /** Whether its success is not reported. */
  boolean silent;

  /** Flags for libfabric, bits of {@link org.ofi4j.TransferFlag}. */
  long flags;

  /**
   * The memory that a receive or read fills in the end: one piece, or several. Of a send or write
   * the message, if it is not copied.
   */
  @Nullable MemorySegment memory;

  MemorySegment @Nullable [] parts;

  /** Of a message in memory of the application, when it was posted. */
  long fingerprint;

  /** What libfabric reads or fills: where it is, and what the operation brings along for it. */
  long address;

  long descriptor;

  /** The copy that this is, if it is one. */
  @Nullable Buffer buffer;

  /** The memory that this is part of, if it is the application's. */
  @Nullable UsedMemory direct;

  long length;

  /** How many bytes of a buffer for several messages have messages in them. */
  long filled;

  @Nullable Peer peer;
  long tag;
  long ignore;
  long data;

  /** Places in remote memory: one from an offset, or several. */
  @Nullable RemotePlace place;

  long offset;
  RemotePlace @Nullable [] places;

  /** Whether a receive was withdrawn, and has not ended yet. */
  boolean withdrawn;

  /** Whose entry a receive names as its source; null if it takes messages of anybody. */
  @Nullable Destinations directed;

  /** The handle of that entry, and which generation it was. */
  long source;

  long generation;

  /** Whether libfabric was told to give a receive back, because that entry has gone. */
  boolean severed;

  /** Whether it has done that: nothing comes any more, but nobody has withdrawn the receive. */
  boolean orphaned;

  /** Whether this is done, and keeps its block for the message that it has put aside. */
  boolean claimed;

  /** How long that message is. */
  long found;

  Operation(long block) {
    this.block = block;
  }

  /** Whether libfabric has it, and it has not ended. */
  boolean isPosted() {
    return owner != null;
  }

  /** Lets go of everything. */
  void clear() {
    next = null;
    owner = null;
    tagged = false;
    context = null;
    silent = false;
    flags = 0;
    memory = null;
    parts = null;
    fingerprint = 0;
    address = 0;
    descriptor = 0;
    buffer = null;
    direct = null;
    length = 0;
    filled = 0;
    peer = null;
    tag = 0;
    ignore = 0;
    data = 0;
    place = null;
    offset = 0;
    places = null;
    withdrawn = false;
    directed = null;
    source = 0;
    generation = 0;
    severed = false;
    orphaned = false;
    claimed = false;
    found = 0;
  }
}
