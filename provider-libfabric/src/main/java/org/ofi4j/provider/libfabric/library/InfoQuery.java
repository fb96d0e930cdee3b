// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressHint;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.NodeService;

/**
 * A call of {@code fi_getinfo}. Hints that are not set are left open.
 *
 * @param provider as libfabric names it; null for any
 * @param hints all but the provider and the capabilities
 * @param capabilities as libfabric numbers them
 */
public record InfoQuery(@Nullable String provider, Hints hints, long capabilities) {
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
        NativeInfo asked = NativeInfo.copyOf(library, 0)) {
      fill(asked);
      if ("shm".equals(provider) && !library.isBefore(2, 0)) {
        // Without locks: it takes one of its vectors twice where a peer's address is another one's.
        RawMemory.putInt(
            asked.domain() + Offsets.DOMAIN_ATTR_DATA_PROGRESS, Constants.PROGRESS_CONTROL_UNIFIED);
      }
      MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
      NodeService service = named() instanceof NodeService given ? given : null;
      int errno =
          library.getinfo(
              service == null ? null : service.node(),
              service == null ? null : service.service(),
              service != null && service.equals(hints.source()) ? Constants.SOURCE : 0,
              asked.address(),
              result.address());
      if (errno == NO_DATA) {
        return List.of();
      }
      NativeErrors.check("fi_getinfo", errno);
      long first = result.get(ValueLayout.JAVA_LONG, 0);
      List<NativeInfo> offers = new ArrayList<>();
      for (long each = first; each != 0; each = RawMemory.getLong(each + Offsets.INFO_NEXT)) {
        NativeInfo offer = NativeInfo.copyOf(library, each);
        if (isMetBy(offer)) {
          if ("shm".equals(offer.providerName())) {
            // With virtual addresses it copies to and from the memory of a peer without a check.
            RawMemory.putInt(
                offer.domain() + Offsets.DOMAIN_ATTR_MR_MODE,
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
    AddressFormat offered = AddressFormat.of(offer.addressFormat());
    return (hints.fabric() == null || hints.fabric().equals(offer.fabricName()))
        && (hints.domain() == null || hints.domain().equals(offer.domainName()))
        && (hints.endpointType() == EndpointType.UNSPECIFIED
            || hints.endpointType().number() == offer.endpointType())
        && (format() == AddressFormat.UNSPECIFIED
            || (offered != null && format().contains(offered)));
  }

  /** Returns the address that the query names; null if it names none. */
  private @Nullable AddressHint named() {
    return hints.source() != null ? hints.source() : hints.destination();
  }

  /** Returns that of an address which is named: else fabrics offer one that hints do not say. */
  private AddressFormat format() {
    return hints.addressFormat() == AddressFormat.UNSPECIFIED
            && named() instanceof FabricAddress address
        ? address.format()
        : hints.addressFormat();
  }

  private static byte @Nullable [] packed(@Nullable AddressHint hint) {
    return hint instanceof FabricAddress address ? address.toBytes() : null;
  }

  private void fill(NativeInfo asked) {
    long all = asked.address();
    RawMemory.putLong(all + Offsets.INFO_CAPS, capabilities);
    RawMemory.putLong(all + Offsets.INFO_MODE, Constants.CONTEXT | Constants.CONTEXT2);
    RawMemory.putInt(all + Offsets.INFO_ADDR_FORMAT, format().number());
    asked.setSource(packed(hints.source()));
    asked.setBytes(Offsets.INFO_DEST_ADDR, Offsets.INFO_DEST_ADDRLEN, packed(hints.destination()));
    asked.setName(asked.fabric() + Offsets.FABRIC_ATTR_PROV_NAME, provider);
    asked.setName(asked.fabric() + Offsets.FABRIC_ATTR_NAME, hints.fabric());
    long domain = asked.domain();
    asked.setName(domain + Offsets.DOMAIN_ATTR_NAME, hints.domain());
    RawMemory.putInt(domain + Offsets.DOMAIN_ATTR_THREADING, Constants.THREAD_DOMAIN);
    RawMemory.putInt(domain + Offsets.DOMAIN_ATTR_AV_TYPE, Constants.AV_TABLE);
    RawMemory.putInt(domain + Offsets.DOMAIN_ATTR_MR_MODE, MEMORY_MODES);
    EndpointType type = hints.endpointType();
    RawMemory.putInt(asked.endpoint() + Offsets.EP_ATTR_TYPE, type.number());
    RawMemory.putLong(
        asked.endpoint() + Offsets.EP_ATTR_MAX_MSG_SIZE, hints.limits().maxMessageSize());
    asked.setQueueSizes(hints.limits().transmitSize(), hints.limits().receiveSize());
    if (type == EndpointType.RDM || type == EndpointType.MSG) {
      // Reliable endpoints promise this order; fabrics promise it where they are asked to.
      RawMemory.putLong(asked.transmit() + Offsets.TX_ATTR_MSG_ORDER, Constants.ORDER_SAS);
      RawMemory.putLong(asked.receive() + Offsets.RX_ATTR_MSG_ORDER, Constants.ORDER_SAS);
    }
  }
}
