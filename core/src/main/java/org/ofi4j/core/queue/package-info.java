// SPDX-License-Identifier: Apache-2.0
/**
 * Event queues, completion queues and counters.
 *
 * <p>Uses {@code object}. Read {@link org.ofi4j.core.queue.CoreCompletionQueue} first.
 */
package org.ofi4j.core.queue;
