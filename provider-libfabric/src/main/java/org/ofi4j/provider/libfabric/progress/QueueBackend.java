// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

/** The objects of libfabric behind one completion queue of the application. */
public interface QueueBackend {
  /** Closes the objects of libfabric that no endpoint closes. No endpoint reports to the queue. */
  void close();
}
