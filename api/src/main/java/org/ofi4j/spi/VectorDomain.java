// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.spi;

import org.ofi4j.SharedVectors;

/**
 * A domain in which the user of this process has named address vectors. The provider may not offer
 * it now: the interface of the domain may be gone, or the library of the provider not installed.
 *
 * @param provider the name of the provider
 * @param domain the name of the domain
 * @param fabric the name of the fabric of the domain
 * @param vectors the named vectors in the domain
 */
public record VectorDomain(String provider, String domain, String fabric, SharedVectors vectors) {}
