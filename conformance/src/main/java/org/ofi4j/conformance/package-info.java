/** The conformance suite: each test names the requirements it proves. */
package org.ofi4j.conformance;
