// SPDX-License-Identifier: Apache-2.0
/**
 * Which thread moves data, and when: one of the application that reads a queue, or one of the
 * domain.
 *
 * <p>Shows both kinds of progress. Uses no other room. Read {@link
 * org.ofi4j.provider.net.progress.NetProgress} first.
 */
package org.ofi4j.provider.net.progress;
