// SPDX-License-Identifier: Apache-2.0
/**
 * What all fabric objects have in common: whether one is open, in use or closed ({@link
 * org.ofi4j.core.object.Lifetime}), the exceptions for misuse ({@link
 * org.ofi4j.core.object.Misuse}), and random numbers.
 *
 * <p>Other rooms use all of these. This room uses no other room. Read {@code Lifetime} first.
 */
package org.ofi4j.core.object;
