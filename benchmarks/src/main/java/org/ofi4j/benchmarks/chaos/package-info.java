// SPDX-License-Identifier: Apache-2.0
/** Processes that change one named vector and are killed at any moment: what is left is judged. */
@NullMarked
package org.ofi4j.benchmarks.chaos;

import org.jspecify.annotations.NullMarked;
