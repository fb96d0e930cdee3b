// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The steps by which an object is being opened. They are undone in the opposite order, unless all
 * of them succeed.
 */
public final class Rollback implements AutoCloseable {
  private final Deque<Runnable> steps = new ArrayDeque<>();

  /** Creates a list without steps. */
  public Rollback() {}

  /**
   * Adds a step that has succeeded.
   *
   * @param undo closes what the step has opened
   */
  public void add(Runnable undo) {
    steps.push(undo);
  }

  /** Keeps what all steps have opened; returns the object that they have opened together. */
  public <T> T keep(T opened) {
    steps.clear();
    return opened;
  }

  @Override
  public void close() {
    while (!steps.isEmpty()) {
      steps.pop().run();
    }
  }
}
