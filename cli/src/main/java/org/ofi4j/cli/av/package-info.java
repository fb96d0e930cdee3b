// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j av}: builds a vector from a list of peers, prints it, looks up, finds and converts.
 * Its subcommands list, check and remove named vectors.
 *
 * <p>Other rooms use the commands. This room uses {@code peers} and {@code output}. Read {@link
 * org.ofi4j.cli.av.AvCommand} first.
 */
package org.ofi4j.cli.av;
