// SPDX-License-Identifier: Apache-2.0
/**
 * Faults of libfabric's providers, by provider and release: what is refused, replaced or isolated
 * because of them.
 *
 * <p>The packages above use all of it. This package uses {@code library}. Read {@link
 * org.ofi4j.provider.libfabric.fault.KnownFaults} first.
 */
package org.ofi4j.provider.libfabric.fault;
