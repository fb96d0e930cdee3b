// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Misuse;

/** Why a node, a host, a service or a text has no address. */
record Failure(Errno errno, String reason) implements HostAddress {
  static Failure of(FabricException refusal) {
    return new Failure(refusal.errno(), Misuse.reason(refusal));
  }
}
