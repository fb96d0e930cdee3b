// SPDX-License-Identifier: Apache-2.0
/**
 * The provider: what it offers for which hints, why it refuses the rest, and its fabrics and
 * domains.
 *
 * <p>Uses all rooms but {@code security}. Read {@link org.ofi4j.provider.net.NetProvider} first,
 * then {@link org.ofi4j.provider.net.Offers}.
 */
package org.ofi4j.provider.net;
