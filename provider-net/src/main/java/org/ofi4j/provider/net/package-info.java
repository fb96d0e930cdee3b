// SPDX-License-Identifier: Apache-2.0
/**
 * The provider: what it offers for which hints, why it refuses the rest, and its fabrics and
 * domains.
 *
 * <p>Shows {@link org.ofi4j.provider.net.NetProvider}, which is to be read first, then {@link
 * org.ofi4j.provider.net.Offers}. Uses all rooms but {@code security}.
 */
package org.ofi4j.provider.net;
