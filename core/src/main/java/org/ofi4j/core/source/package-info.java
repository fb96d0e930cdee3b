// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses that a call of the application gives, one after the other: packed, as values, as
 * text, as names to be resolved, as ranges of nodes and services. All are an {@link
 * org.ofi4j.core.source.AddressSource}, so that insertion has one form.
 *
 * <p>Other rooms use the sources. This room uses {@code address} and {@code object}. Read {@code
 * AddressSource} first, then {@link org.ofi4j.core.source.NodeAddresses}.
 */
package org.ofi4j.core.source;
