// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of fi_av(3), and what endpoints ask of a vector. Here calls are checked, handles made,
 * events told and errors put into words; the entries themselves are in {@code store} and {@code
 * mapped}.
 *
 * <p>Uses all other rooms of core but {@code hash} and {@code free}. Providers see {@link
 * org.ofi4j.core.av.CoreAddressVector}, which is to be read first, {@link
 * org.ofi4j.core.av.TransferPeers} and a few more.
 */
package org.ofi4j.core.av;
