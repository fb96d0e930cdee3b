// SPDX-License-Identifier: Apache-2.0
/**
 * Who moves data, and when: the application that reads a queue, or a thread of the domain.
 *
 * <p>Uses no other room. Read {@link org.ofi4j.provider.net.progress.NetProgress} first.
 */
package org.ofi4j.provider.net.progress;
