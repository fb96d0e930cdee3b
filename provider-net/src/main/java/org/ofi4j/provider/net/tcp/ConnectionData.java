// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import org.ofi4j.provider.net.wire.ConnectionMessage;

/** What applications tell each other when they connect. */
final class ConnectionData {
  private ConnectionData() {}

  /** Refuses what no connection message can carry. */
  public static void check(byte[] data) {
    int length = required(data, "data").length;
    if (length > ConnectionMessage.MAX_DATA) {
      throw invalid(
          "connection data of %s bytes: there can be %s at most; send the rest as a message"
              .formatted(length, ConnectionMessage.MAX_DATA));
    }
  }
}
