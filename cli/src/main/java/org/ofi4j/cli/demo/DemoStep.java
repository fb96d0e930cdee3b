// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;

/** One part of the demonstration. Steps run in order and share what they have opened. */
interface DemoStep {
  /** What the step shows, in a few words. */
  String title();

  void run(DemoStage stage) throws IOException, InterruptedException;
}
