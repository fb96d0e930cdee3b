// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j pingpong}: the protocol of libfabric's fi_pingpong, as docs/internals/pingpong.md
 * describes it.
 *
 * <p>Other rooms use the command. This room uses {@code output} and {@code peers}. Read {@link
 * org.ofi4j.cli.pingpong.Pingpong} first.
 */
package org.ofi4j.cli.pingpong;
