// SPDX-License-Identifier: Apache-2.0
/** The {@code ofi4j} command: one class for each of its commands, and how they are put together. */
package org.ofi4j.cli;
