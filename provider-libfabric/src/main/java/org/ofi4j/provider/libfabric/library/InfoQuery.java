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
    Sizes sizes) {
  /** What operations need at least. */
  public record Sizes(long maxMessage, long transmits, long receives) {}

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
        hints.setProgress(Constants.PROGRESS_CONTROL_UNIFIED);
      }
      MemorySegment result = arena.allocate(ValueLayout.JAVA_LONG);
      int errno = library.getinfo(node, service, flags, hints.address(), result.address());
      if (errno == NO_DATA) {
        return List.of();
      }
      NativeErrors.check("fi_getinfo", errno);
      long first = result.get(ValueLayout.JAVA_LONG, 0);
      List<NativeInfo> offers = new ArrayList<>();
      for (long each = first; each != 0; each = next(each)) {
        NativeInfo offer = NativeInfo.copyOf(library, each);
        if (isMetBy(offer)) {
          if ("shm".equals(offer.providerName())) {
            // With virtual addresses it copies to and from the memory of a peer without a check.
            offer.removeMemoryRegionMode(MemoryRegionMode.VIRTUAL_ADDRESS);
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

  private static long next(long info) {
    return RawMemory.getLong(info + InfoStructs.FabricInfo.NEXT);
  }

  private void fill(NativeInfo hints) {
    RawMemory.putLong(hints.address() + InfoStructs.FabricInfo.CAPS, capabilities);
    hints.setMode(Constants.CONTEXT | Constants.CONTEXT2);
    hints.setAddressFormat(format);
    hints.setEndpointType(type);
    hints.setNames(provider, fabric, domain);
    hints.setDomain(Constants.THREAD_DOMAIN, Constants.AV_TABLE, MEMORY_MODES);
    if (type == EndpointType.RDM.number() || type == EndpointType.MSG.number()) {
      // What reliable endpoints promise here; fabrics promise it where they are asked to.
      hints.setMessageOrder(Constants.ORDER_SAS);
    }
    hints.setLimits(sizes.maxMessage, sizes.transmits, sizes.receives);
    hints.setSource(source);
    hints.setDestination(destination);
  }
}
