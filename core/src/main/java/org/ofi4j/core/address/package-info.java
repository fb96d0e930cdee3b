// SPDX-License-Identifier: Apache-2.0
/**
 * One address inside the vector: its canonical form ({@link org.ofi4j.core.address.AddressKey}),
 * its packed words, and how bytes or values that a call gives become a key ({@link
 * org.ofi4j.core.address.AddressCodec}). Numbers and names of nodes and services are parsed here;
 * {@code source} resolves names.
 *
 * <p>Other rooms use addresses, their codec, and services. This room uses {@code object}. Read
 * {@link org.ofi4j.core.address.AddressKey} first.
 */
package org.ofi4j.core.address;
