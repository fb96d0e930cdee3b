// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.endpoint.Required;
import org.ofi4j.provider.net.wire.ConnectionMessage;

/** What applications tell each other when they connect. */
final class ConnectionData {
  private ConnectionData() {}

  /** Refuses what no connection message can carry. */
  public static void check(byte[] data) {
    int length = Required.value(data, "data").length;
    if (length > ConnectionMessage.MAX_DATA) {
      throw new FabricException(
          Errno.EINVAL,
          "connection data of "
              + length
              + " bytes: there can be "
              + ConnectionMessage.MAX_DATA
              + " at most; send the rest as a message");
    }
  }
}
