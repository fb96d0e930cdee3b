// SPDX-License-Identifier: Apache-2.0
/**
 * Memory outside the heap that libfabric may touch: copies of messages, and the context blocks of
 * operations.
 *
 * <p>Other rooms use all of it. This room uses {@code library}. Read {@link
 * org.ofi4j.provider.libfabric.memory.MessageBuffers} first.
 */
package org.ofi4j.provider.libfabric.memory;
