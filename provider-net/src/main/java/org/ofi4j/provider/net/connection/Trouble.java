// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** What goes wrong while something ends that ends in any case. For one thread at a time. */
public final class Trouble {
  /** More are only counted: each of thousands of connections may fail for the same reason. */
  private static final int MOST_KEPT = 16;

  // There from the start: when something goes wrong there may be no memory.
  private final @Nullable Throwable[] kept = new @Nullable Throwable[MOST_KEPT];
  private int count;

  /** Something went wrong, and the end goes on. */
  public void note(Throwable failed) {
    if (count < MOST_KEPT) {
      kept[count] = failed;
    }
    count++;
  }

  /**
   * Says what went wrong, if anything did.
   *
   * @throws FabricException with what went wrong as suppressed exceptions
   */
  public void report(Object what) {
    if (count == 0) {
      return;
    }
    Throwable first = kept[0];
    boolean noMemory =
        first instanceof OutOfMemoryError
            || (first instanceof FabricException refused && refused.errno() == Errno.ENOMEM);
    FabricException report =
        new FabricException(
            noMemory ? Errno.ENOMEM : Errno.EIO,
            what
                + " is closed, but "
                + (count == 1 ? "one step" : count + " steps")
                + " of that went wrong, and what was to be sent may be lost; the first: "
                + first);
    for (Throwable each : kept) {
      if (each != null) {
        report.addSuppressed(each);
      }
    }
    throw report;
  }
}
