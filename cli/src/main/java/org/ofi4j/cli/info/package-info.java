// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j info}: what can be opened here, and why the rest cannot.
 *
 * <p>Other rooms use the command. This room uses {@code output}. Read {@link
 * org.ofi4j.cli.info.InfoCommand} first.
 */
package org.ofi4j.cli.info;
