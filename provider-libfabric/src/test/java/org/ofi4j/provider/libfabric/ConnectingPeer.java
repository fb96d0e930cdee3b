// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Scanner;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.FabricAddress;
import org.ofi4j.Progress;

/** An endpoint in a JVM of its own that connects, exchanges messages, and waits to be killed. */
final class ConnectingPeer {
  static final int MESSAGES = 6;

  private ConnectingPeer() {}

  static int size(int seed) {
    return 1 << 4 * seed;
  }

  /** The provider; the port to connect to is in the input. */
  public static void main(String[] arguments) throws Exception {
    try (ConnectionRig rig = new ConnectionRig(arguments[0], Progress.AUTO);
        Scanner input = new Scanner(System.in)) {
      ConnectedEndpoint endpoint = rig.endpoint();
      endpoint.connect(FabricAddress.of(new InetSocketAddress("127.0.0.1", input.nextInt())));
      rig.connected(endpoint);
      for (int seed = 0; seed < MESSAGES; seed++) {
        MemorySegment buffer = memory(size(seed));
        endpoint.send(pattern(memory(size(seed)), seed), 0, "sent");
        endpoint.receive(buffer, "received");
        rig.rig.success("received");
        assertPattern(buffer, size(seed), -seed);
        rig.rig.success("sent");
      }
      input.next();
    }
  }
}
