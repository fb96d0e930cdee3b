// SPDX-License-Identifier: Apache-2.0
/**
 * The reading of libfabric's queues, by the threads that read queues of ours or by one of a
 * domain's own, and how they wait until there is something to be read.
 *
 * <p>Other rooms use it for the queues that they read. This room uses {@code library}. Read {@link
 * org.ofi4j.provider.libfabric.progress.QueueReader} first.
 */
package org.ofi4j.provider.libfabric.progress;
