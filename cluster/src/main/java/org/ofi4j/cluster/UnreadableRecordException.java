// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

/** A record that is damaged, or of a newer version. */
final class UnreadableRecordException extends Exception {
  private static final long serialVersionUID = 1L;

  UnreadableRecordException(String message) {
    super(message);
  }
}
