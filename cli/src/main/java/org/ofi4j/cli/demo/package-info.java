// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j demo}: steps one after the other, and the other side in a JVM of its own.
 *
 * <p>Uses {@code peers} and {@code output}. Read {@link org.ofi4j.cli.demo.Demo} first, then a
 * step.
 */
package org.ofi4j.cli.demo;
