// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Why something failed, in words alone. */
public final class Reasons {
  private Reasons() {}

  /** The words of a refusal without its errno, for where that is shown by itself. */
  public static String of(FabricException refused) {
    Errno errno = refused.errno();
    String message = String.valueOf(refused.getMessage());
    String prefix = errno.name() + " (" + errno.number() + "): ";
    return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
  }

  /** The words for an errno that came without any, such as {@code EALREADY}. */
  public static String name(int number) {
    for (Errno errno : Errno.values()) {
      if (errno.number() == number) {
        return errno.name();
      }
    }
    return "errno " + number;
  }
}
