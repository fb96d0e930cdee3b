// SPDX-License-Identifier: Apache-2.0
/**
 * Lists of peers: their syntax (docs/cli.md), how they become an address vector, and the fabric
 * that it is opened in ({@link org.ofi4j.cli.peers.VectorSession}).
 *
 * <p>Uses {@code output}. Read {@link org.ofi4j.cli.peers.PeerLoader} first.
 */
package org.ofi4j.cli.peers;
