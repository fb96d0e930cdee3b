// SPDX-License-Identifier: Apache-2.0
/**
 * Event queues, completion queues and counters of every provider, and how their readers drive the
 * progress of endpoints.
 *
 * <p>Other rooms use the three, and {@link org.ofi4j.spi.ProgressEngine}. This room uses {@code
 * object}. Read {@link org.ofi4j.core.queue.CoreCompletionQueue} first.
 */
package org.ofi4j.core.queue;
