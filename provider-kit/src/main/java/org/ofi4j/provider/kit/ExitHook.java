// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

/**
 * Actions for endpoints that are still open when the process ends in an orderly way, such as the
 * deletion of a file that no other process deletes. Any thread may call.
 */
public final class ExitHook {
  private ExitHook() {}

  /**
   * Adds an action, which is run at the exit of the process while other threads go on; does nothing
   * if it was added before, or the process ends already.
   *
   * @param action run in a thread of its own; what it throws is ignored
   */
  public static void add(Runnable action) {
    org.ofi4j.core.object.ExitHook.add(action);
  }

  /**
   * Removes an action; does nothing if it is not there.
   *
   * @param action an action that was added
   */
  public static void remove(Runnable action) {
    org.ofi4j.core.object.ExitHook.remove(action);
  }
}
