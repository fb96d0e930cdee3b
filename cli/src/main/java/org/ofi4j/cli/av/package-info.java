// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j av}: builds a vector from a list of peers, prints it, looks up, finds and converts.
 * Its subcommands list, check and remove named vectors.
 *
 * <p>Shows the commands. Uses {@code peers} and {@code output}. Read {@link
 * org.ofi4j.cli.av.AvCommand} first.
 */
package org.ofi4j.cli.av;
