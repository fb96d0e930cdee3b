// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * How full a queue is, and what went through it since it was opened: {@link
 * CompletionQueue#statistics}, {@link EventQueue#statistics}.
 *
 * @param size how many completions or events it holds at most; of an event queue, events that end a
 *     call of the application find room all the same
 * @param waiting how many wait to be read
 * @param reported how many there were
 * @param lost how many events were lost because the queue was full; always 0 for completions, whose
 *     operations wait for room
 */
public record QueueStatistics(long size, long waiting, long reported, long lost) {}
