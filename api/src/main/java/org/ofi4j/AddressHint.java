// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * Where an endpoint or its peer is, as {@link Hints} say it: an address, which is {@code src_addr}
 * or {@code dest_addr} of {@code struct fi_info}, or {@linkplain NodeService node and service},
 * which the provider resolves.
 */
public sealed interface AddressHint permits FabricAddress, NodeService {}
