// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Errors that libfabric returns, as exceptions. */
final class NativeErrors {
  private NativeErrors() {}

  /**
   * What a call was answered with.
   *
   * @param what was called, in words that "failed" goes with
   * @param result the errno, negative as C returns it
   */
  static FabricException failed(String what, int result) {
    int errno = Math.abs(result);
    return new FabricException(
        Errno.of(errno), what + " failed in libfabric: " + Errno.describe(errno));
  }

  /**
   * Refuses what a call was answered with, unless it is success.
   *
   * @param result an {@code int}, of which the upper half means nothing
   */
  static void check(String what, long result) {
    if ((int) result < 0) {
      throw failed(what, (int) result);
    }
  }
}
