// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.function.ToIntFunction;
import org.jline.nativ.CLibrary;

/** The size of the window that a terminal is, ioctl_tty(2). */
final class WindowSize {
  private WindowSize() {}

  /** How many columns it has, or 0 if the system does not say. */
  static int columns(int descriptor) {
    return of(descriptor, size -> size.ws_col);
  }

  /** How many lines it has, or 0 if the system does not say. */
  static int rows(int descriptor) {
    return of(descriptor, size -> size.ws_row);
  }

  private static int of(int descriptor, ToIntFunction<CLibrary.WinSize> side) {
    try {
      CLibrary.WinSize size = new CLibrary.WinSize();
      return CLibrary.ioctl(descriptor, CLibrary.TIOCGWINSZ, size) == 0
          ? side.applyAsInt(size) & 0xFFFF
          : 0;
    } catch (RuntimeException | LinkageError withoutLibrary) {
      // There is none for this system, or no directory to unpack it into.
      return 0;
    }
  }
}
