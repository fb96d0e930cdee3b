// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.AttributeStructs.AddressVector;
import org.ofi4j.provider.libfabric.library.AttributeStructs.CompletionQueue;
import org.ofi4j.provider.libfabric.library.AttributeStructs.MemoryPiece;
import org.ofi4j.provider.libfabric.library.AttributeStructs.MemoryRegion;
import org.ofi4j.provider.libfabric.library.ObjectStructs.Domain;
import org.ofi4j.provider.libfabric.library.ObjectStructs.DomainFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.RegionFunctions;

/** {@code struct fid_domain}. */
public final class NativeDomain extends NativeObject {
  NativeDomain(Libfabric library, long address) {
    super(library, "the domain", address);
  }

  /** {@code fi_av_open} of a table. */
  public NativeVector openVector() {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(AttributeStructs.ROOM, Long.BYTES).address();
      RawMemory.putInt(attributes + AddressVector.TYPE, Constants.AV_TABLE);
      return new NativeVector(
          library(), open("the address vector", DomainFunctions.AV_OPEN, "av_open", attributes));
    }
  }

  /**
   * {@code fi_cq_open}.
   *
   * @param waiting whether there is to be a descriptor to wait for
   */
  public NativeQueue openQueue(long size, boolean waiting) {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(AttributeStructs.ROOM, Long.BYTES).address();
      RawMemory.putLong(attributes + CompletionQueue.SIZE, size);
      RawMemory.putInt(attributes + CompletionQueue.FORMAT, Constants.CQ_FORMAT_TAGGED);
      RawMemory.putInt(
          attributes + CompletionQueue.WAIT_OBJ, waiting ? Constants.WAIT_FD : Constants.WAIT_NONE);
      return new NativeQueue(
          library(),
          open("the completion queue", DomainFunctions.CQ_OPEN, "cq_open", attributes),
          waiting);
    }
  }

  /** Whether queues of the domain can have descriptors to wait for. */
  public boolean hasDescriptors() {
    NativeQueue probe;
    try {
      probe = openQueue(1, true);
    } catch (FabricException none) {
      return false;
    }
    try {
      return probe.descriptor() >= 0;
    } finally {
      probe.close();
    }
  }

  /** {@code fi_cntr_open} of one that is read and not waited for. */
  public NativeCounter openCounter() {
    try (Arena arena = Arena.ofConfined()) {
      // All zero: FI_CNTR_EVENTS_COMP, FI_WAIT_NONE.
      long attributes = arena.allocate(AttributeStructs.ROOM, Long.BYTES).address();
      return new NativeCounter(
          library(), open("the counter", DomainFunctions.CNTR_OPEN, "cntr_open", attributes));
    }
  }

  /** {@code fi_endpoint}, at the source of the information. */
  public NativeEndpoint openEndpoint(NativeInfo info) {
    return new NativeEndpoint(
        library(), open("the endpoint", DomainFunctions.ENDPOINT, "endpoint", info.address()));
  }

  /**
   * {@code fi_mr_regattr}.
   *
   * @param memory where the memory is, which stays until the region is closed
   * @param access bits of {@link org.ofi4j.Access}, and of what else it is used for
   * @param key what peers name it by, where the fabric does not choose that
   */
  public NativeRegion register(long memory, long length, long access, long key) {
    MemorySegment register =
        required(RawMemory.getLong(address() + Domain.MR), RegionFunctions.REGATTR, "regattr");
    try (Arena arena = Arena.ofConfined()) {
      long piece = arena.allocate(AttributeStructs.ROOM, Long.BYTES).address();
      RawMemory.putLong(piece + MemoryPiece.IOV_BASE, memory);
      RawMemory.putLong(piece + MemoryPiece.IOV_LEN, length);
      long attributes = arena.allocate(AttributeStructs.ROOM, Long.BYTES).address();
      RawMemory.putLong(attributes + MemoryRegion.MR_IOV, piece);
      RawMemory.putLong(attributes + MemoryRegion.IOV_COUNT, 1);
      RawMemory.putLong(attributes + MemoryRegion.ACCESS, access);
      RawMemory.putLong(attributes + MemoryRegion.REQUESTED_KEY, key);
      long region =
          opened(
              library(),
              "a region of %s bytes".formatted(length),
              result -> Downcalls.call(register, address(), attributes, 0, result));
      return new NativeRegion(library(), region);
    }
  }
}
