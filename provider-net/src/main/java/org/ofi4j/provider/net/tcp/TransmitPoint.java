// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.provider.net.transfer.TransmitContext;

/** Where sends, reads and writes are posted: an endpoint, or a context of a scalable one. */
interface TransmitPoint {
  /** What it speaks over; throws if it is closed. */
  MessageTraffic ready();

  /** What sends go through; throws if it only receives. */
  TransmitContext sends();

  /** What access to memory of peers goes through; throws without the capability. */
  TransmitContext accesses(Capability needed);

  /** The thread that will read and write posted memory; null if any may. */
  @Nullable Thread mover();
}
