// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import org.ofi4j.provider.kit.Operation;

/** An operation of a loopback endpoint. */
final class Request extends Operation {
  /** The address of the peer of a send, read or write. */
  long address;
}
