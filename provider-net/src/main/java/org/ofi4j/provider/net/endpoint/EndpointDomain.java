// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.provider.net.progress.ProgressThread;

/** What endpoints need of the domain that they are on. */
public interface EndpointDomain extends Domain {
  /** Held by the domain's endpoints. */
  Lifetime lifetime();

  /** The thread that moves data, or null if the readers of the queues do. */
  @Nullable ProgressThread progressThread();

  /** The thread that will move what is posted, or null if those who read the queues do. */
  default @Nullable Thread mover() {
    ProgressThread running = progressThread();
    if (running == null) {
      return null;
    }
    running.checkRunning();
    return running.thread();
  }

  /** Whether it has authorization keys, which are in its vectors. */
  default boolean hasKeysInVectors() {
    return info().domain().authKeySize() == FabricInfo.DomainAttributes.KEYS_IN_VECTOR;
  }

  Staging.Pool staging();

  Regions regions();

  AllocatedMemories allocatedMemories();
}
