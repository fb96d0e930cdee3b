// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.progress.ProgressThread;

/**
 * The thread and the buffers that the endpoints of one domain share.
 *
 * @param progressThread the thread that moves data; null if the threads that read queues do
 * @param staging the buffers that frames and datagrams are copied through
 */
public record NetResources(@Nullable ProgressThread progressThread, Staging.Pool staging) {}
