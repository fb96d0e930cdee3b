// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.source.AddressSource;

/**
 * What an asynchronous insertion was asked for. Nothing in it belongs to the caller any more, but
 * for the array that takes handles (AV-081).
 *
 * @param input a user id or the handle of a key for each, copied when the call was made
 * @param handles takes the handles, usable from any thread
 * @param insertion takes the outcome in the form with values
 * @param flags bits of {@link org.ofi4j.InsertFlag}
 */
record AsynchronousRequest(
    AddressSource source,
    @Nullable MemorySegment input,
    @Nullable MemorySegment handles,
    @Nullable ArrayInsertion insertion,
    long flags,
    @Nullable Object context) {}
