// SPDX-License-Identifier: Apache-2.0
/**
 * Plots of reports.
 *
 * <p>Uses {@code figure}, {@code named} and {@code messaging}. Read {@link
 * org.ofi4j.benchmarks.plot.SvgPlot} first.
 */
package org.ofi4j.benchmarks.plot;
