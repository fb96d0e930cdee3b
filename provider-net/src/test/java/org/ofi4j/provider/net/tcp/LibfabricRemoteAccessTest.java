// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Remote access to the memory of C programs on libfabric, and theirs to ours; every byte. */
class LibfabricRemoteAccessTest {
  private static final int REGION = 8 << 20;
  private static final int[] SIZES = {0, 1, 64, 1_000, 16_384, 16_385, 70_000, 1 << 20, REGION - 3};
  private static final long KEY = 0x1234_5678_9ABCL;
  private static final long WRITTEN =
      Flag.maskOf(CompletionFlag.RMA, CompletionFlag.REMOTE_WRITE, CompletionFlag.REMOTE_CQ_DATA);

  static List<Hints> kinds() {
    return List.of(
        Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA),
        Rig.tcp("127.0.0.1", Progress.AUTO).withMoreCapabilities(Capability.RMA));
  }

  /** One of each side, which know each other. */
  private static final class Pair implements AutoCloseable {
    final LibfabricPeer peer;
    final Rig rig;
    final long toPeer;
    private final long toUs;
    private long number = 1_000;

    Pair(Hints hints, int size) throws Exception {
      peer = LibfabricPeer.start("remote-access", "127.0.0.1", "" + size, "" + KEY);
      rig = Rig.reliable(hints);
      peer.meanwhile(() -> rig.move(Duration.ZERO));
      toPeer = rig.vector.insert(peer.name());
      toUs = peer.insert(rig.name());
    }

    /** What the peer's operation on our memory ends with; its number is its content. */
    String ends(String operation, long size, String address, long key, String... options) {
      number++;
      post(operation, size, address, key, options);
      return peer.ask("await " + number);
    }

    void post(String operation, long size, String address, long key, String... options) {
      String words = String.join(" ", options);
      peer.ask(
          "%s %d %d %d %s %s %s"
              .formatted(operation, number, toUs, size, address, Long.toUnsignedString(key), words)
              .strip(),
          "posted");
    }

    Object succeeds() throws InterruptedException {
      Completion completion = rig.next();
      assertThat(completion).isInstanceOf(Completion.Success.class);
      return ((Completion.Success) completion).context();
    }

    void fails() throws InterruptedException {
      Completion completion = rig.next();
      assertThat(completion).isInstanceOf(Completion.Failure.class);
      assertThat(((Completion.Failure) completion).errno()).isEqualTo(Errno.ECONNRESET);
    }

    @Override
    public void close() {
      rig.close();
      peer.close();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("We write to C's memory and read from it")
  void weReachIts(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints, REGION)) {
      MemorySegment buffer = Rig.buffer(REGION);
      long content = 0;
      for (int size : SIZES) {
        content++;
        MemorySegment part = buffer.asSlice(0, size);
        Content.fill(part, content);
        pair.rig
            .endpoint()
            .write(
                new WriteRequest()
                    .memory(part)
                    .destination(pair.toPeer)
                    .place(new RemotePlace(3, part.byteSize(), KEY))
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(pair.succeeds()).isEqualTo("write");
        pair.peer.ask("check 3 %d %d".formatted(size, content), "same");

        content++;
        pair.peer.ask("fill 1 %d %d".formatted(size, content), "filled");
        pair.rig
            .endpoint()
            .read(part, pair.toPeer, new RemotePlace(1, part.byteSize(), KEY), "read");
        assertThat(pair.succeeds()).isEqualTo("read");
        Content.verify(part, content);
      }
      MemorySegment[] parts = {
        buffer.asSlice(0, 10), MemorySegment.ofArray(new byte[20_000]), buffer.asSlice(10, 300_000)
      };
      pair.rig
          .endpoint()
          .read(
              new ReadRequest()
                  .parts(parts)
                  .source(pair.toPeer)
                  .place(new RemotePlace(1, 320_010, KEY))
                  .context("read"));
      pair.succeeds();
      pair.rig
          .endpoint()
          .write(
              new WriteRequest()
                  .parts(parts)
                  .destination(pair.toPeer)
                  .place(new RemotePlace(0, 320_010, KEY))
                  .context("write")
                  .completes(CompletionLevel.DELIVERED));
      pair.succeeds();
      pair.peer.ask("check 0 320010 " + content, "same");
      // Several places there, the second of which lies before the first.
      MemorySegment whole = buffer.asSlice(0, 100_000);
      Content.fill(whole, 77);
      RemotePlace[] places = {
        new RemotePlace(40_000, 60_000, KEY), new RemotePlace(0, 40_000, KEY)
      };
      MemorySegment[] turned = {whole.asSlice(40_000), whole.asSlice(0, 40_000)};
      pair.rig
          .endpoint()
          .write(
              new WriteRequest()
                  .parts(turned)
                  .destination(pair.toPeer)
                  .places(places)
                  .context("write")
                  .completes(CompletionLevel.DELIVERED));
      pair.succeeds();
      pair.peer.ask("check 0 100000 77", "same");
      whole.fill((byte) 0);
      pair.rig
          .endpoint()
          .read(new ReadRequest().parts(turned).source(pair.toPeer).places(places).context("read"));
      pair.succeeds();
      Content.verify(whole, 77);
      pair.peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("C writes to our memory and reads from it, on the heap and outside")
  void itReachesOurs(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints, 1)) {
      for (MemorySegment memory :
          List.of(Rig.buffer(REGION), MemorySegment.ofArray(new byte[REGION]))) {
        try (MemoryRegion region =
            pair.rig.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
          for (int size : SIZES) {
            for (String kind : List.of("delivered", "committed", "places=3 delivered")) {
              assertThat(pair.ends("write", size, "2", region.key(), kind)).isEqualTo("written");
              Content.verify(memory.asSlice(2, size), pair.number);
            }
            for (String kind : List.of("pieces=1", "pieces=4")) {
              Content.fill(memory.asSlice(1, size), pair.number + 1);
              assertThat(pair.ends("read", size, "1", region.key(), kind)).isEqualTo("read");
            }
          }
        }
      }
      pair.peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName(
      "Immediate data of writes comes to the other side, both ways, and injected writes do")
  void immediateData(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints, REGION)) {
      MemorySegment memory = Rig.buffer(REGION);
      try (MemoryRegion region = pair.rig.domain.register(memory, Access.REMOTE_WRITE)) {
        for (int size : new int[] {0, 9, 100_000}) {
          assertThat(pair.ends("write", size, "4", region.key(), "data=" + (70 + size)))
              .isEqualTo("written");
          noticed(pair, memory.asSlice(4, size), 70 + size);

          MemorySegment from = Rig.buffer(size);
          Content.fill(from, 6);
          pair.rig
              .endpoint()
              .write(
                  new WriteRequest()
                      .memory(from)
                      .destination(pair.toPeer)
                      .place(new RemotePlace(0, from.byteSize(), KEY))
                      .data(size - 5L)
                      .context("write"));
          pair.succeeds();
          assertThat(pair.peer.ask("notice"))
              .startsWith("noticed " + Long.toHexString(size - 5L) + " ");
          pair.peer.ask("check 0 %d 6".formatted(size), "same");
        }
        assertThat(pair.ends("write", 100, "8", region.key(), "inject", "data=5"))
            .isEqualTo("written");
        noticed(pair, memory.asSlice(8, 100), 5);
        MemorySegment small = Rig.buffer(1_000);
        Content.fill(small, 10);
        pair.rig
            .endpoint()
            .injectWrite(
                new WriteRequest()
                    .memory(small)
                    .destination(pair.toPeer)
                    .place(new RemotePlace(20, small.byteSize(), KEY))
                    .data(99));
        small.fill((byte) 0);
        assertThat(pair.peer.ask("notice")).startsWith("noticed 63 ");
        pair.peer.ask("check 20 1000 10", "same");
      }
      pair.peer.finish();
    }
  }

  private static void noticed(Pair pair, MemorySegment written, long data)
      throws InterruptedException {
    Completion completion = pair.rig.next();
    assertThat(completion).isInstanceOf(Completion.Success.class);
    Completion.Success notice = (Completion.Success) completion;
    assertThat(notice.flags()).isEqualTo(WRITTEN);
    assertThat(notice.data()).isEqualTo(data);
    assertThat(notice.length()).isEqualTo(written.byteSize());
    assertThat(notice.source()).isEqualTo(pair.toPeer);
    Content.verify(written, pair.number);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Far more reads at once than are answered at once, both ways at the same time")
  void manyReads(Hints hints) throws Exception {
    int reads = 600;
    int size = 9_000;
    try (Pair pair = new Pair(hints, size)) {
      pair.peer.ask("fill 0 %d 3".formatted(size), "filled");
      MemorySegment memory = Rig.buffer(size);
      Content.fill(memory, 4);
      try (MemoryRegion region = pair.rig.domain.register(memory, Access.REMOTE_READ)) {
        MemorySegment into = Rig.buffer((long) reads * size);
        long first = pair.number + 1;
        for (int i = 0; i < reads; i++) {
          pair.rig
              .endpoint()
              .read(
                  into.asSlice((long) i * size, size),
                  pair.toPeer,
                  new RemotePlace(0, size, KEY),
                  (Object) i);
          pair.number++;
          pair.post("read", size, "0", region.key());
        }
        for (int i = 0; i < reads; i++) {
          assertThat(pair.succeeds()).isEqualTo(i);
          Content.verify(into.asSlice((long) i * size, size), 3);
          assertThat(pair.peer.ask("await " + (first + i) + " content=4")).isEqualTo("read");
        }
      }
      pair.peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("What reaches beyond a region costs the connection, and the next one is as good")
  void beyond(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints, 1_000)) {
      byte[] old = new byte[1_000];
      MemorySegment memory = Rig.buffer(1_000);
      MemorySegment buffer = Rig.buffer(1_001);
      try (MemoryRegion region =
          pair.rig.domain.register(
              memory.asSlice(100, 800), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        for (String place : List.of("801 0", "1 800", "800 1", "2 18446744073709551615")) {
          long size = Long.parseLong(place.split(" ")[0]);
          String address = place.split(" ")[1];
          assertThat(pair.ends("read", size, address, region.key())).startsWith("failed ");
          assertThat(pair.ends("write", size, address, region.key(), "delivered"))
              .startsWith("failed ");
          assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(old);
        }
        assertThat(pair.ends("read", 8, "0", 1)).startsWith("failed ");
        assertThat(pair.ends("write", 800, "0", region.key(), "delivered")).isEqualTo("written");
        Content.verify(memory.asSlice(100, 800), pair.number);

        for (long[] place : new long[][] {{0, 1_001}, {1_000, 1}, {1, 1_000}}) {
          MemorySegment part = buffer.asSlice(0, place[1]);
          pair.rig
              .endpoint()
              .read(part, pair.toPeer, new RemotePlace(place[0], part.byteSize(), KEY), "read");
          pair.fails();
          pair.rig
              .endpoint()
              .write(
                  new WriteRequest()
                      .memory(part)
                      .destination(pair.toPeer)
                      .place(new RemotePlace(place[0], part.byteSize(), KEY))
                      .context("write")
                      .completes(CompletionLevel.DELIVERED));
          pair.fails();
        }
        pair.rig
            .endpoint()
            .read(buffer, pair.toPeer, new RemotePlace(0, buffer.byteSize(), KEY + 1), "read");
        pair.fails();
        pair.rig
            .endpoint()
            .read(buffer.asSlice(0, 1_000), pair.toPeer, new RemotePlace(0, 1_000, KEY), "read");
        pair.succeeds();
      }
      pair.peer.finish();
    }
  }
}
