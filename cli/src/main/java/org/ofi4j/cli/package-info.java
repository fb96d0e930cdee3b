// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code ofi4j} command: its subcommands, how they are put together, and how errors are
 * reported. Each subcommand but {@code completion} and {@code help} has a room of its own.
 *
 * <p>Other rooms use the words and exit codes for failures. This room uses the rooms of the
 * subcommands, and {@code output}. Read {@link org.ofi4j.cli.Main} first, then {@link
 * org.ofi4j.cli.CommandLines}.
 */
package org.ofi4j.cli;
