// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j demo}: a tour in steps, one class each. Two JVMs take part: this one, and one that
 * the demo starts as its peer.
 *
 * <p>Other rooms use the commands. This room uses {@code peers} and {@code output}. Read {@link
 * org.ofi4j.cli.demo.Demo} first, then a step.
 */
package org.ofi4j.cli.demo;
