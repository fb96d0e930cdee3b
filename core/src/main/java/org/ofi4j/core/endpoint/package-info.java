// SPDX-License-Identifier: Apache-2.0
/**
 * What endpoints of all providers share: how they are opened, what they report to and count, and
 * checks of memory that is posted or registered.
 *
 * <p>Providers use all of its classes, and no other room does. This room uses {@code av}, {@code
 * queue} and {@code object}. Read {@link org.ofi4j.core.endpoint.BoundEndpoint} first.
 */
package org.ofi4j.core.endpoint;
