// SPDX-License-Identifier: Apache-2.0
/**
 * Duties that provider {@code shm} of libfabric leaves to its callers: space for the files of
 * endpoints, memory of closed endpoints that it still points to, peers that are gone, and the
 * operations that it had for them.
 *
 * <p>{@code endpoint} uses this room. This room uses {@code library}. Read {@link
 * org.ofi4j.provider.libfabric.shm.SharedRegions} and {@link
 * org.ofi4j.provider.libfabric.shm.EndpointFile} first.
 */
package org.ofi4j.provider.libfabric.shm;
