// SPDX-License-Identifier: Apache-2.0
/**
 * Draws the reports of {@code ofi4j bench av} and {@code ofi4j bench pingpong} as SVG images.
 *
 * <p>Other rooms use {@link org.ofi4j.benchmarks.plot.SvgPlot}, which is to be read first. This
 * room uses {@code figure}, {@code named} and {@code messaging}.
 */
package org.ofi4j.benchmarks.plot;
