// SPDX-License-Identifier: Apache-2.0
/** Lists of peers: their syntax (docs/cli.md), and how they become an address vector. */
package org.ofi4j.cli.peers;
