// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;

/** An endpoint that receives short texts, each in the peer group that is asked for. */
final class GroupEndpoint implements AutoCloseable {
  private static final int LONGEST = 256;

  private final Arena arena = Arena.ofShared();
  private final CompletionQueue queue;
  private final ReliableEndpoint endpoint;

  /** A receive that is posted: for which group, and where its message goes. */
  private record Posted(int group, MemorySegment buffer) {}

  /** A message, the group whose receive took it, and what the completion reports as its sender. */
  record Message(int group, String text, long source) {}

  GroupEndpoint(Domain domain, AddressVector vector) {
    queue = domain.openCompletionQueue();
    endpoint = domain.openReliableEndpoint(vector, queue);
  }

  FabricAddress address() {
    return endpoint.address();
  }

  /** Posts a receive for a message of one group. */
  void receive(int group) {
    Posted posted = new Posted(group, arena.allocate(LONGEST));
    endpoint.receive(
        new ReceiveRequest()
            .memory(posted.buffer)
            .source(Handles.anySourceInGroup(group))
            .context(posted));
  }

  /** Waits for the next message to any of the receives. */
  Message expect() throws IOException, InterruptedException {
    Completion.Success received = queue.take(DemoEndpoint.PATIENCE);
    if (!(received.context() instanceof Posted posted)) {
      throw new IOException("no message, but " + received);
    }
    byte[] text = posted.buffer.asSlice(0, received.length()).toArray(ValueLayout.JAVA_BYTE);
    return new Message(posted.group, new String(text, StandardCharsets.UTF_8), received.source());
  }

  @Override
  public void close() {
    endpoint.close();
    queue.close();
    arena.close();
  }
}
