// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.FabricException;

/** {@code struct fid_domain}. */
public final class NativeDomain extends NativeObject {
  NativeDomain(Libfabric library, long address) {
    super(library, "the domain", address);
  }

  /** {@code fi_av_open} of a table. */
  public NativeVector openVector() {
    return new NativeVector(
        library(),
        open(
            "the address vector",
            NativeFunction.DOMAIN_AV_OPEN,
            attributes ->
                RawMemory.putInt(attributes + Offsets.AV_ATTR_TYPE, Constants.AV_TABLE)));
  }

  /**
   * {@code fi_cq_open}.
   *
   * @param waiting whether there is to be a descriptor to wait for
   */
  public NativeQueue openQueue(long size, boolean waiting) {
    long opened =
        open(
            "the completion queue",
            NativeFunction.DOMAIN_CQ_OPEN,
            attributes -> {
              RawMemory.putLong(attributes + Offsets.CQ_ATTR_SIZE, size);
              RawMemory.putInt(attributes + Offsets.CQ_ATTR_FORMAT, Constants.CQ_FORMAT_TAGGED);
              RawMemory.putInt(
                  attributes + Offsets.CQ_ATTR_WAIT_OBJ,
                  waiting ? Constants.WAIT_FD : Constants.WAIT_NONE);
            });
    return new NativeQueue(library(), opened, waiting);
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
    // All zero: FI_CNTR_EVENTS_COMP, FI_WAIT_NONE.
    return new NativeCounter(
        library(), open("the counter", NativeFunction.DOMAIN_CNTR_OPEN, attributes -> {}));
  }

  /** {@code fi_endpoint}, at the source of the information. */
  public NativeEndpoint openEndpoint(NativeInfo info) {
    return new NativeEndpoint(
        library(), open("the endpoint", NativeFunction.DOMAIN_ENDPOINT, info.address()));
  }

  /**
   * {@code fi_mr_regattr}.
   *
   * @param memory where the memory is, which stays until the region is closed
   * @param access bits of {@link org.ofi4j.Access}, and of what else it is used for
   * @param key what peers name it by, where the fabric does not choose that
   */
  public NativeRegion register(long memory, long length, long access, long key) {
    MemorySegment register = required(NativeFunction.MR_REGATTR);
    try (Arena arena = Arena.ofConfined()) {
      long piece = arena.allocate(Offsets.ROOM, Long.BYTES).address();
      RawMemory.putLong(piece + Offsets.IOVEC_IOV_BASE, memory);
      RawMemory.putLong(piece + Offsets.IOVEC_IOV_LEN, length);
      long attributes = arena.allocate(Offsets.ROOM, Long.BYTES).address();
      RawMemory.putLong(attributes + Offsets.MR_ATTR_MR_IOV, piece);
      RawMemory.putLong(attributes + Offsets.MR_ATTR_IOV_COUNT, 1);
      RawMemory.putLong(attributes + Offsets.MR_ATTR_ACCESS, access);
      RawMemory.putLong(attributes + Offsets.MR_ATTR_REQUESTED_KEY, key);
      long region =
          opened(
              library(),
              "a region of %s bytes".formatted(length),
              result -> Downcalls.call(register, address(), attributes, 0, result));
      return new NativeRegion(library(), region);
    }
  }
}
