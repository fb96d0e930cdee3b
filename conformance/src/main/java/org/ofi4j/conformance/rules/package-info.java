// SPDX-License-Identifier: Apache-2.0
/**
 * The tests of the rules, one class named {@code …Tests} for each part of the man page: handles,
 * authorization keys, asynchronous insertions and so on.
 *
 * <p>This room uses {@code harness} and {@code model}. Read {@link
 * org.ofi4j.conformance.rules.InsertTests} first.
 */
package org.ofi4j.conformance.rules;
