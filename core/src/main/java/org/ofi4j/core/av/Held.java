// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

/** A hold of the lock of a vector's writers, which ends when it is closed. */
@FunctionalInterface
interface Held extends AutoCloseable {
  @Override
  void close();
}
