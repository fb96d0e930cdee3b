// SPDX-License-Identifier: Apache-2.0
/** The tests of the rules, one class for each part of the man page. */
package org.ofi4j.conformance.rules;
