// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.provider.libfabric.library.InfoStructs.DomainAttributes;
import org.ofi4j.provider.libfabric.library.InfoStructs.EndpointAttributes;
import org.ofi4j.provider.libfabric.library.InfoStructs.FabricAttributes;
import org.ofi4j.provider.libfabric.library.InfoStructs.FabricInfo;
import org.ofi4j.provider.libfabric.library.InfoStructs.Receive;
import org.ofi4j.provider.libfabric.library.InfoStructs.Transmit;

/**
 * What is asked of {@code fi_getinfo}. Members that are null or 0 are left open.
 *
 * @param provider as libfabric names it
 * @param type the number of an {@link EndpointType}
 * @param format the number of an {@link org.ofi4j.AddressFormat}
 * @param capabilities bits of {@link org.ofi4j.Capability}
 * @param source the own address, packed
 * @param destination a peer's, packed
 * @param node of the source, or of the destination, as flags say
 * @param flags of the call
 * @param maxMessage the length of a message that is needed at least
 * @param transmits how many may have to be under way
 * @param receives how many may have to be posted
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record InfoQuery(
    @Nullable String provider,
    @Nullable String fabric,
    @Nullable String domain,
    int type,
    int format,
    long capabilities,
    byte @Nullable [] source,
    byte @Nullable [] destination,
    @Nullable String node,
    @Nullable String service,
    long flags,
    long maxMessage,
    long transmits,
    long receives) {
  /** All that this provider can do for a fabric: nothing of it is asked of applications. */
  private static final int MEMORY_MODES =
      (int)
          Flag.maskOf(
              MemoryRegionMode.LOCAL,
              MemoryRegionMode.VIRTUAL_ADDRESS,
              MemoryRegionMode.ALLOCATED,
              MemoryRegionMode.PROVIDER_KEY,
              MemoryRegionMode.ENDPOINT);

  private static final int NO_DATA = -Errno.ENODATA.number();

  /**
   * Asks. Some fabrics offer other interfaces and address formats than the hints name; such offers
   * are left out.
   *
   * @return the offers, each for the caller to close
   * @throws org.ofi4j.FabricException if the call fails for another reason than that nothing fits
   */
  public List<NativeInfo> ask(Libfabric library) {
    try (Arena arena = Arena.ofConfined();
        NativeInfo hints = NativeInfo.copyOf(library, 0)) {
      fill(hints);
      if ("shm".equals(provider) && !library.isBefore(2, 0)) {
        // Without locks: it takes one of its vectors twice where a peer's address is another one's.
        RawMemory.putInt(
            hints.domain() + DomainAttributes.DATA_PROGRESS, Constants.PROGRESS_CONTROL_UNIFIED);
      }
      MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
      int errno = library.getinfo(node, service, flags, hints.address(), result.address());
      if (errno == NO_DATA) {
        return List.of();
      }
      NativeErrors.check("fi_getinfo", errno);
      long first = result.get(ValueLayout.JAVA_LONG, 0);
      List<NativeInfo> offers = new ArrayList<>();
      for (long each = first; each != 0; each = RawMemory.getLong(each + FabricInfo.NEXT)) {
        NativeInfo offer = NativeInfo.copyOf(library, each);
        if (isMetBy(offer)) {
          if ("shm".equals(offer.providerName())) {
            // With virtual addresses it copies to and from the memory of a peer without a check.
            RawMemory.putInt(
                offer.domain() + DomainAttributes.MR_MODE,
                offer.memoryRegionModes() & ~(int) MemoryRegionMode.VIRTUAL_ADDRESS.mask());
          }
          offers.add(offer);
        } else {
          offer.close();
        }
      }
      library.freeinfo(first);
      return offers;
    }
  }

  private boolean isMetBy(NativeInfo offer) {
    AddressFormat asked = AddressFormat.of(format);
    AddressFormat offered = AddressFormat.of(offer.addressFormat());
    return (fabric == null || fabric.equals(offer.fabricName()))
        && (domain == null || domain.equals(offer.domainName()))
        && (type == EndpointType.UNSPECIFIED.number() || type == offer.endpointType())
        && (asked == null
            || asked == AddressFormat.UNSPECIFIED
            || (offered != null && asked.contains(offered)));
  }

  private void fill(NativeInfo hints) {
    long all = hints.address();
    RawMemory.putLong(all + FabricInfo.CAPS, capabilities);
    RawMemory.putLong(all + FabricInfo.MODE, Constants.CONTEXT | Constants.CONTEXT2);
    RawMemory.putInt(all + FabricInfo.ADDR_FORMAT, format);
    hints.setSource(source);
    hints.setBytes(FabricInfo.DEST_ADDR, FabricInfo.DEST_ADDRLEN, destination);
    hints.setName(hints.fabric() + FabricAttributes.PROV_NAME, provider);
    hints.setName(hints.fabric() + FabricAttributes.NAME, fabric);
    long domains = hints.domain();
    hints.setName(domains + DomainAttributes.NAME, domain);
    RawMemory.putInt(domains + DomainAttributes.THREADING, Constants.THREAD_DOMAIN);
    RawMemory.putInt(domains + DomainAttributes.AV_TYPE, Constants.AV_TABLE);
    RawMemory.putInt(domains + DomainAttributes.MR_MODE, MEMORY_MODES);
    RawMemory.putInt(hints.endpoint() + EndpointAttributes.TYPE, type);
    RawMemory.putLong(hints.endpoint() + EndpointAttributes.MAX_MSG_SIZE, maxMessage);
    hints.setQueueSizes(transmits, receives);
    if (type == EndpointType.RDM.number() || type == EndpointType.MSG.number()) {
      // What reliable endpoints promise here; fabrics promise it where they are asked to.
      RawMemory.putLong(hints.transmit() + Transmit.MSG_ORDER, Constants.ORDER_SAS);
      RawMemory.putLong(hints.receive() + Receive.MSG_ORDER, Constants.ORDER_SAS);
    }
  }
}
