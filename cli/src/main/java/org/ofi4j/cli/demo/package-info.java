// SPDX-License-Identifier: Apache-2.0
/** The demonstration: steps one after the other, and the other side in a JVM of its own. */
package org.ofi4j.cli.demo;
