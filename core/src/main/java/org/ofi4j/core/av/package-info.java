// SPDX-License-Identifier: Apache-2.0
/** The address vector: table, reverse index, free indices, ranges and handles. */
package org.ofi4j.core.av;
