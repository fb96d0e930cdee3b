// SPDX-License-Identifier: Apache-2.0
/**
 * Who moves the data of endpoints: the threads that read completion queues, or a thread of the
 * domain's own.
 */
package org.ofi4j.provider.net.progress;
