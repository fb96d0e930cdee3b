// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;

/** The example of docs/endpoints.md: it runs, and it stands there letter for letter. */
class EndpointsGuideTest {
  @Test
  @DisplayName("Two endpoints get to know each other")
  void example() throws Exception {
    // The page begins here.
    Hints hints =
        Hints.datagram()
            .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR)
            .withSource("127.0.0.1:0");
    FabricInfo info = Fabrics.info(hints).best();
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        DatagramEndpoint server = domain.openDatagramEndpoint(vector, queue);
        DatagramEndpoint client = domain.openDatagramEndpoint(vector, queue);
        Arena arena = Arena.ofShared()) {
      long toServer = vector.insert(server.address());

      // The client sends twice before the server reads anything.
      MemorySegment[] buffers = {arena.allocate(1_472), arena.allocate(1_472)};
      for (MemorySegment buffer : buffers) {
        server.receive(buffer, "request");
        client.inject(MemorySegment.ofArray("hello".getBytes(UTF_8)), toServer);
      }

      CompletionHandler handler =
          new CompletionHandler() {
            @Override
            public void completed(
                Object context, long flags, long length, long data, long tag, long source) {
              System.out.println(context + " of " + length + " bytes from " + source);
            }

            @Override
            public void failed(Completion.Failure failure) {
              // The client was not in the vector when its message arrived. An earlier failure may
              // have added it since: insert it only if it is not there, or it is counted twice.
              FabricAddress sender = failure.senderAddress(vector.format());
              long known = vector.find(sender);
              long toClient = known == Handles.NOT_AVAILABLE ? vector.insert(sender) : known;
              System.out.println(failure.reason() + "; from now on it is " + toClient);
            }
          };
      for (int delivered = 0; delivered < 2; ) {
        int more = queue.poll(handler, 16, Duration.ofSeconds(5));
        if (more == 0) throw new IllegalStateException("a message is lost");
        delivered += more;
      }
      server.receive(buffers[0], "another request");
      client.inject(MemorySegment.ofArray("me again".getBytes(UTF_8)), toServer);
      if (queue.poll(handler, 16, Duration.ofSeconds(5)) == 0)
        throw new IllegalStateException("a message is lost");
      // The page ends here.
      assertThat(vector.size()).isEqualTo(2);
      vector.remove(vector.find(client.address()));
      assertThat(vector.size()).as("one removal is enough").isOne();
      assertThat(new String(buffers[0].asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE), UTF_8))
          .isEqualTo("me again");
    }
  }

  @Test
  @DisplayName("The page shows the code that runs here")
  void page() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.isDirectory(here.resolve("docs")) ? here : here.getParent();
    String name = "provider-net/src/test/java/org/ofi4j/provider/net/EndpointsGuideTest.java";
    String source = Files.readString(root.resolve(name));
    String code =
        source.substring(
            source.indexOf("// The page begins here.\n") + "// The page begins here.\n".length(),
            source.indexOf("\n      // The page ends here."));
    assertThat(Files.readString(root.resolve("docs/endpoints.md")))
        .contains("```java run\n" + code.stripIndent() + "\n}\n```\n");
  }
}
