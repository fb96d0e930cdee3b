// SPDX-License-Identifier: Apache-2.0
/**
 * What all subcommands print with: text, colour, progress, JSON, numbers, exit codes.
 *
 * <p>Other rooms use most of its classes. This room uses no other room. Read {@link
 * org.ofi4j.cli.output.Terminal} first.
 */
package org.ofi4j.cli.output;
