// SPDX-License-Identifier: Apache-2.0
/**
 * Which thread moves data: with manual progress, a thread of the application that reads a queue;
 * with automatic progress, a thread of the domain, or in its place a reader that waits.
 *
 * <p>Other rooms use both kinds of progress. This room uses no other room. Read {@link
 * org.ofi4j.provider.net.progress.NetProgress} first.
 */
package org.ofi4j.provider.net.progress;
