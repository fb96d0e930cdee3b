// SPDX-License-Identifier: Apache-2.0
/**
 * The parts of a provider that are the same for every transport: the check of hints against what a
 * provider offers, the opening and closing of endpoints, their completion queues, counters and
 * statistics, and checks of memory, flags and places in the memory of peers.
 *
 * <p>Read {@link org.ofi4j.provider.kit.BoundEndpoint} first.
 */
package org.ofi4j.provider.kit;
