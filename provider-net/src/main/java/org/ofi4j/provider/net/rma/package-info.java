// SPDX-License-Identifier: Apache-2.0
/**
 * Access of peers to our registered memory: they read it, write it, and may ask that what they
 * wrote is flushed to the file behind it.
 *
 * <p>Other rooms use {@link org.ofi4j.provider.net.rma.RemoteAccess}, which is to be read first,
 * then {@link org.ofi4j.provider.net.rma.AccessedMemory}. This room uses {@code transfer}, {@code
 * wire} and {@code endpoint}, and {@code matching}, which knows the senders.
 */
package org.ofi4j.provider.net.rma;
