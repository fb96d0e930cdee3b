// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

/** A run of chaos that a signal ends: more kills than it gets to. */
final class ChaosProgram {
  private ChaosProgram() {}

  @SuppressWarnings("SystemOut") // read by the test
  public static void main(String[] arguments) throws Exception {
    Chaos.run(
        new ChaosOptions(4, 4000, 1), (what, done, steps) -> System.out.println(what + " " + done));
  }
}
