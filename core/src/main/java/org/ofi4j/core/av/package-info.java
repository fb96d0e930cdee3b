// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of fi_av(3), and what endpoints ask of a vector. Calls are checked here, in all their
 * forms: synchronous and asynchronous, of one address and of many. Handles are made, completions
 * are posted to event queues, errors are put into words. The entries themselves are in {@code
 * store} and {@code mapped}.
 *
 * <p>Other rooms use {@link org.ofi4j.core.av.CoreAddressVector} and what providers ask it for,
 * above all {@link org.ofi4j.core.av.TransferPeers}. This room uses all other rooms of core but
 * {@code share}, {@code hash}, {@code free} and {@code endpoint}. Read {@code CoreAddressVector}
 * first.
 */
package org.ofi4j.core.av;
