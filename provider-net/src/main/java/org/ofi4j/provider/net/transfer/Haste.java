// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

/** Whether what is posted may wait for more to the same peer, to go out together. */
public enum Haste {
  /** It goes out at once, and takes along what waits. */
  AT_ONCE,

  /** It may wait in the middle of many that are posted one after the other. */
  IN_A_ROW,

  /** It waits: its sender has announced that another follows. */
  BEFORE_MORE
}
