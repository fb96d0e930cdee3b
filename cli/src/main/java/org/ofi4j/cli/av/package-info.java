// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j av}: builds a vector from a list of peers, prints, looks up, finds and converts; and
 * looks at, checks and removes vectors that processes share.
 *
 * <p>Uses {@code peers} and {@code output}. Read {@link org.ofi4j.cli.av.AvCommand} first.
 */
package org.ofi4j.cli.av;
