// SPDX-License-Identifier: Apache-2.0
/** What tests of rules are written with. Knows neither the rules nor the suite. */
package org.ofi4j.conformance.harness;
