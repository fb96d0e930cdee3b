/** What tests of rules are written with. Knows neither the rules nor the suite. */
package org.ofi4j.conformance.harness;
