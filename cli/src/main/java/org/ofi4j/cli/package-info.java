/** The commands of ofi4j. */
package org.ofi4j.cli;
