// SPDX-License-Identifier: Apache-2.0
/**
 * Addresses inside the address vector: their canonical form ({@link
 * org.ofi4j.core.address.AddressKey}) and how packed bytes and values become one ({@link
 * org.ofi4j.core.address.AddressCodec}).
 */
package org.ofi4j.core.address;
