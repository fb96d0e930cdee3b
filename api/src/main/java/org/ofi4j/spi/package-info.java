// SPDX-License-Identifier: Apache-2.0
/**
 * What a provider implements ({@link org.ofi4j.spi.FabricProvider}) and registers with {@link
 * java.util.ServiceLoader}. Applications have no use for it.
 *
 * <p>This room uses the types of {@code org.ofi4j}.
 */
package org.ofi4j.spi;
