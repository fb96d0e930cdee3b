// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;

/** Does something later, in the thread that changes the vector. */
@FunctionalInterface
interface Timer {
  void after(Duration delay, Runnable task);
}
