// SPDX-License-Identifier: Apache-2.0
/**
 * The installed libfabric as a provider: what it offers, and fabrics and domains of it.
 *
 * <p>Nothing here is for other modules but the provider itself. This room uses {@code library} and
 * {@code endpoint}. Read {@link org.ofi4j.provider.libfabric.LibfabricProvider} first.
 */
package org.ofi4j.provider.libfabric;
