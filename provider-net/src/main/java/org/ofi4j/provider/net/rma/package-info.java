// SPDX-License-Identifier: Apache-2.0
/**
 * What peers do with our registered memory: they read it, write to it, and have writes brought to
 * files.
 *
 * <p>Other rooms may use {@code RemoteAccess}. Uses {@code matching}, which reports writes with
 * immediate data, {@code transfer}, {@code wire} and {@code endpoint}. Read {@link
 * org.ofi4j.provider.net.rma.RemoteAccess} first, then {@link
 * org.ofi4j.provider.net.rma.AccessedMemory}.
 */
package org.ofi4j.provider.net.rma;
