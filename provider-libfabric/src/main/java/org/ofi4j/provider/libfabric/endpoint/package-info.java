// SPDX-License-Identifier: Apache-2.0
/**
 * Domains and endpoints over libfabric: operations from being posted to being reported, and the
 * peers that libfabric knows.
 *
 * <p>The root package uses the domain. This package uses all others. Read {@link
 * org.ofi4j.provider.libfabric.endpoint.LibfabricDomain} first, then {@code DomainResources}, and
 * {@code NativeTransport} with its {@code NativeTransmitter} and {@code NativeReceiver}.
 */
package org.ofi4j.provider.libfabric.endpoint;
