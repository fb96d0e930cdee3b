// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

/** When what is posted goes out: at once, or together with more to the same peer. */
public enum Departure {
  /** It goes out at once, and takes along what waits. */
  AT_ONCE,

  /** It may wait in the middle of many that are posted one after the other. */
  IN_A_ROW,

  /** It waits: its sender has announced that another follows. */
  BEFORE_MORE
}
