// SPDX-License-Identifier: Apache-2.0
/**
 * Lists of peers: their syntax (docs/cli.md), and how they become an address vector.
 *
 * <p>Uses {@code output}. Read {@link org.ofi4j.cli.peers.PeerLoader} first.
 */
package org.ofi4j.cli.peers;
