// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import org.jline.nativ.CLibrary;

/** The size of the window that a terminal is, ioctl_tty(2). */
final class WindowSize {
  private WindowSize() {}

  /** How many columns it has, or 0 if the system does not say. */
  static int columns(int descriptor) {
    try {
      CLibrary.WinSize size = new CLibrary.WinSize();
      return CLibrary.ioctl(descriptor, CLibrary.TIOCGWINSZ, size) == 0
          ? Short.toUnsignedInt(size.ws_col)
          : 0;
    } catch (RuntimeException | LinkageError withoutLibrary) {
      // There is none for this system, or no directory to unpack it into.
      return 0;
    }
  }
}
