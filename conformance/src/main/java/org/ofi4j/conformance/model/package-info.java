// SPDX-License-Identifier: Apache-2.0
/**
 * The seeded random model test: long sequences of every operation on a vector, each compared with a
 * plain reference that is written from the rules alone.
 */
package org.ofi4j.conformance.model;
