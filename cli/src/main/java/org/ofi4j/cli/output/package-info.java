// SPDX-License-Identifier: Apache-2.0
/**
 * What every command prints with: text, colour, progress, JSON, numbers, exit codes.
 *
 * <p>Uses no other room. Read {@link org.ofi4j.cli.output.Terminal} first.
 */
package org.ofi4j.cli.output;
