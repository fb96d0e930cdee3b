// SPDX-License-Identifier: Apache-2.0
/**
 * Duties that provider {@code shm} of libfabric leaves to its callers: memory of closed endpoints
 * that it still points to, peers that are gone, and the operations that it had for them.
 *
 * <p>{@code endpoint} uses this room. This room uses {@code library}. Read {@link
 * org.ofi4j.provider.libfabric.shm.SharedRegions} first.
 */
package org.ofi4j.provider.libfabric.shm;
