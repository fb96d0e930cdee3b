// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

/** Memory of an application that operations use as it is, and that is kept as long as they do. */
interface UsedMemory {
  /** An operation that has used it has ended. */
  void unuse();
}
