// SPDX-License-Identifier: Apache-2.0
/**
 * The offers of this provider: the interfaces of libfabric that meet hints, in the words of the
 * API, and the reasons why others do not.
 *
 * <p>The root package and {@code endpoint} use it. It uses {@code fault} and {@code library}. Read
 * {@link org.ofi4j.provider.libfabric.offer.NativeOffers} first.
 */
package org.ofi4j.provider.libfabric.offer;
