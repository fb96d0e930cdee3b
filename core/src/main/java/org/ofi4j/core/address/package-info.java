// SPDX-License-Identifier: Apache-2.0
/**
 * One address inside the vector: its canonical form ({@link org.ofi4j.core.address.AddressKey}),
 * its packed words, and how bytes and values become one ({@link
 * org.ofi4j.core.address.AddressCodec}). Numbers and names of nodes and services are parsed here;
 * {@code source} resolves names.
 *
 * <p>Shows addresses, their codec, and services. Uses no other room. Read {@link
 * org.ofi4j.core.address.AddressKey} first.
 */
package org.ofi4j.core.address;
