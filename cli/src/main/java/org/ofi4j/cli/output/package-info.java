// SPDX-License-Identifier: Apache-2.0
/** What every command prints with: text, colour, progress, JSON. */
package org.ofi4j.cli.output;
