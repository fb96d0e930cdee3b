// SPDX-License-Identifier: Apache-2.0
/**
 * Open, close and busy accounting of fabric objects, and what misuse is answered with, in one
 * place.
 *
 * <p>Uses no other room. Read {@link org.ofi4j.core.object.Lifetime} first.
 */
package org.ofi4j.core.object;
