// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * The bits of {@code mr_mode}, fi_mr(3): what a provider may ask of applications that register
 * memory. In hints, what the application is prepared for; in information, what of it is needed.
 */
public enum MemoryRegionMode implements Flag {
  /**
   * {@code FI_MR_BASIC}: peers use virtual addresses, and the provider chooses keys; as before 1.5.
   */
  BASIC(0),
  /** {@code FI_MR_SCALABLE}: peers use offsets, and the application chooses keys; before 1.5. */
  SCALABLE(1),
  /** {@code FI_MR_LOCAL}: memory that is posted must be registered. */
  LOCAL(2),
  /** {@code FI_MR_RAW}: keys must be mapped by those who use them. */
  RAW(3),
  /** {@code FI_MR_VIRT_ADDR}: peers name places by virtual address and not by offset. */
  VIRTUAL_ADDRESS(4),
  /** {@code FI_MR_ALLOCATED}: memory must be backed by pages when it is registered. */
  ALLOCATED(5),
  /** {@code FI_MR_PROV_KEY}: the provider chooses keys. */
  PROVIDER_KEY(6),
  /** {@code FI_MR_MMU_NOTIFY}: the provider must be told when memory becomes backed by pages. */
  MMU_NOTIFY(7),
  /** {@code FI_MR_RMA_EVENT}: regions with counters are enabled after they are bound. */
  RMA_EVENT(8),
  /** {@code FI_MR_ENDPOINT}: regions belong to endpoints and not to the domain. */
  ENDPOINT(9),
  /** {@code FI_MR_HMEM}: memory of devices must be registered. */
  HMEM(10),
  /** {@code FI_MR_COLLECTIVE}: memory of collective operations must be registered. */
  COLLECTIVE(11),
  /**
   * The provider does not protect memory as {@link MemoryRegion} and {@link RemoteMemory} promise;
   * a bit of ofi4j, which libfabric does not have. Such a provider offers access to the memory of
   * peers only if the hints accept this mode, and its offers have the mode then. Accept it only if
   * all processes that can reach the fabric are trusted:
   *
   * <ul>
   *   <li>A peer that uses the fabric without ofi4j may read and write any memory of this process
   *       with any key, also memory that was never registered, and after its region was closed.
   *   <li>An access that is refused may be reported as a success, also with {@link
   *       CompletionLevel#DELIVERED}; the destination of such a read keeps its old bytes. Or it is
   *       never reported, and its place in the transmit queue is not given back.
   * </ul>
   */
  UNPROTECTED(62);

  private final int bit;

  MemoryRegionMode(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
