// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Closes what is of no use any more, where a failure to do so is no news to the application. */
public final class Quietly {
  private Quietly() {}

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
