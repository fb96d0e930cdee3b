// SPDX-License-Identifier: Apache-2.0
/**
 * The beginnings of connections with one peer: libfabric's event queues and what they say, passive
 * endpoints, and requests of peers.
 *
 * <p>Fabrics use the passive endpoint, {@code endpoint} the rest. This room uses {@code progress}
 * and {@code library}. Read {@link org.ofi4j.provider.libfabric.connection.EventReader} first.
 */
package org.ofi4j.provider.libfabric.connection;
