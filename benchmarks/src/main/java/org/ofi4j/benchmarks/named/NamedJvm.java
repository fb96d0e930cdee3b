// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import org.ofi4j.benchmarks.process.FreshJvm;

/** A {@link FreshJvm} that does {@link NamedWork}. */
final class NamedJvm {
  private NamedJvm() {}

  /**
   * Obeys until standard input ends.
   *
   * @param arguments ignored
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    NamedWork work = new NamedWork(FreshJvm.figures());
    FreshJvm.run(work::obey);
  }
}
