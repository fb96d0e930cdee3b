// SPDX-License-Identifier: Apache-2.0
/**
 * The installed libfabric as a provider, and its fabrics, as the provider kit asks for them.
 *
 * <p>No other module uses this package. It uses {@code offer}, {@code endpoint}, {@code connection}
 * and {@code library}. Read {@link org.ofi4j.provider.libfabric.LibfabricProvider} first.
 */
package org.ofi4j.provider.libfabric;
