// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints over libfabric: operations from being posted to being reported, the peers that
 * libfabric knows, and who has its queues read.
 *
 * <p>Other rooms use the endpoints, and what domains open for them. This room uses {@code library}
 * and {@code memory}. Read {@link org.ofi4j.provider.libfabric.endpoint.DomainResources} first,
 * then {@code NativeTraffic}.
 */
package org.ofi4j.provider.libfabric.endpoint;
