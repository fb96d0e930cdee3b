// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

/**
 * What becomes of one address of an insertion.
 *
 * @param errno 0 if it is in the vector
 * @param index its index, -1 if it failed
 */
record Outcome(int errno, int index) {
  static Outcome failed(int errno) {
    return new Outcome(errno, -1);
  }

  boolean succeeded() {
    return errno == 0;
  }
}
