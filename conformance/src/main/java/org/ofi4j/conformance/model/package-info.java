// SPDX-License-Identifier: Apache-2.0
/**
 * The seeded random model test: long sequences of every operation on a vector. Each result is
 * compared with that of a plain reference, which is written from the man pages and knows nothing of
 * core.
 *
 * <p>Other rooms use scenarios and their checks. This room uses {@code harness}. Read {@link
 * org.ofi4j.conformance.model.ModelCheck} first, then {@link
 * org.ofi4j.conformance.model.ReferenceVector}.
 */
package org.ofi4j.conformance.model;
