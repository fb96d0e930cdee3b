// SPDX-License-Identifier: Apache-2.0
/**
 * The provider: what it offers for which hints, why it refuses the rest, and its fabrics and
 * domains.
 *
 * <p>Nobody uses it by name: {@link java.util.ServiceLoader} finds {@link
 * org.ofi4j.provider.net.NetProvider}. This room uses all rooms below it but {@code security}. Read
 * {@code NetProvider} first, then {@link org.ofi4j.provider.net.Offers}.
 */
package org.ofi4j.provider.net;
