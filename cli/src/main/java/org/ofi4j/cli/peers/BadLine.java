// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import org.ofi4j.Printable;

/**
 * A line, or part of one, that did not get into the vector.
 *
 * @param line the line's number, from 1
 * @param peers how many peers the line stands for; 0 if that cannot be told
 * @param refused how many of them are not in the vector
 * @param errno the fabric errno of the first
 */
public record BadLine(
    String source, long line, String text, long peers, long refused, int errno, String reason) {
  /** The line without its comment. */
  public String peer() {
    int comment = text.indexOf('#');
    return (comment < 0 ? text : text.substring(0, comment)).strip();
  }

  @Override
  public String toString() {
    String which = peers > 1 ? " (" + refused + " of " + peers + " peers)" : "";
    return Printable.line(source + ":" + line + ": \"" + peer() + "\"" + which + ": " + reason);
  }
}
