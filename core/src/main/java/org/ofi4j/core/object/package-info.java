// SPDX-License-Identifier: Apache-2.0
/**
 * Properties that all fabric objects share: whether one is open, in use or closed ({@link
 * org.ofi4j.core.object.Lifetime}), the exceptions for misuse ({@link
 * org.ofi4j.core.object.Misuse}), actions at the exit of the process, whether events are recorded,
 * and random numbers.
 *
 * <p>Other rooms use all of these. This room uses no other room. Read {@code Lifetime} first.
 */
package org.ofi4j.core.object;
