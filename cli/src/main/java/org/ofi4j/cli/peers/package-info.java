// SPDX-License-Identifier: Apache-2.0
/**
 * Reading of lists of peers into an address vector, and searches of a vector for the addresses of a
 * list. {@link org.ofi4j.PeerList} has the syntax of a list. The fabric and the vector of a
 * subcommand are opened here too ({@link org.ofi4j.cli.peers.VectorSession}).
 *
 * <p>Other rooms use the classes that read and search, and what these report. This room uses {@code
 * output}. Read {@link org.ofi4j.cli.peers.PeerLoader} first.
 */
package org.ofi4j.cli.peers;
