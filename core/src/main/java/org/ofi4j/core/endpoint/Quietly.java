// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;

/** Closes what is of no use any more, where a failure to do so is no news to anybody. */
public final class Quietly {
  private Quietly() {}

  /** Closes an object that was refused; what closing it throws goes with why it was refused. */
  public static void closeAfter(Throwable refused, FabricObject useless) {
    try {
      useless.close();
    } catch (RuntimeException | Error further) {
      refused.addSuppressed(further);
    }
  }

  public static void close(@Nullable Closeable useless) {
    if (useless != null) {
      try {
        useless.close();
      } catch (IOException alreadyUseless) {
        // Why it is closed is known to those who need to know.
      }
    }
  }
}
