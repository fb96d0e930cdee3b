// SPDX-License-Identifier: Apache-2.0
/**
 * Connections between processes of one host through memory: {@link
 * org.ofi4j.provider.net.sharedmemory.SharedMemoryChannel} takes the place of the socket below the
 * frames, over two rings in a file that both processes have mapped.
 */
package org.ofi4j.provider.net.sharedmemory;
