// SPDX-License-Identifier: Apache-2.0
/** Times address vectors, ofi4j's and libfabric's, and holds the figures against the bars. */
package org.ofi4j.benchmarks;
