/** What every command prints with: text, colour, progress, JSON. */
package org.ofi4j.cli.output;
