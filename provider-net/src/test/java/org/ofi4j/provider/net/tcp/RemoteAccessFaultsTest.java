// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Peers that misuse memory they may reach, and memory that goes away while peers reach it. */
class RemoteAccessFaultsTest {
  private static final int READ_REQUEST = 2;
  private static final int ANSWER = 3;
  private static final int WRITE = 4;

  /** Automatic, so that the endpoint lives while the test does something else. */
  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress).withMoreCapabilities(Capability.RMA);
  }

  private static Hints hints() {
    return hints(Progress.AUTO);
  }

  /** A frame that reaches places: address, length and key of each. */
  private static byte[] frame(int operation, int flags, long payload, long... places) {
    int header = 16 + 8 * places.length;
    ByteBuffer bytes =
        ByteBuffer.allocate(header)
            .order(java.nio.ByteOrder.LITTLE_ENDIAN)
            .put(new byte[] {3, (byte) operation})
            .putShort((short) flags)
            .put(new byte[] {0, (byte) (places.length / 3), (byte) header, 0})
            .putLong(header + payload);
    for (long each : places) {
      bytes.putLong(each);
    }
    return bytes.array();
  }

  private static long[] places(int count, long address, long length, long key) {
    long[] places = new long[3 * count];
    for (int i = 0; i < places.length; i += 3) {
      places[i] = address;
      places[i + 1] = length;
      places[i + 2] = key;
    }
    return places;
  }

  private static byte[] numbered(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 7 + i / 256);
    }
    return bytes;
  }

  /** Two endpoints still reach each other. */
  private static void checkLiving(Rig left, Rig right) throws InterruptedException {
    right.endpoint().receive(Rig.buffer(5), "r");
    left.endpoint().send(Rig.message("hello"), left.insert(right), "s");
    assertThat(left.next(right)).isInstanceOf(Completion.Success.class);
    assertThat(right.next(left)).isInstanceOf(Completion.Success.class);
  }

  @Test
  @DisplayName("Who asks for a lot and reads no answer waits alone, and gets all of it in the end")
  void asksWithoutReading() throws Exception {
    int requests = 40_000;
    int size = 5_000;
    byte[] content = numbered(size + 255);
    try (Rig target = Rig.reliable(hints());
        Rig other = Rig.reliable(hints());
        RawPeer peer = new RawPeer();
        MemoryRegion region =
            target.domain.register(MemorySegment.ofArray(content), Access.REMOTE_READ);
        Socket socket = peer.join(target.name(), 5)) {
      socket.setSendBufferSize(8_192);
      AtomicReference<Throwable> failed = new AtomicReference<>();
      Thread asker =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  OutputStream out = socket.getOutputStream();
                  for (int i = 0; i < requests; i++) {
                    out.write(frame(READ_REQUEST, 0, 0, places(1, i % 255, size, region.key())));
                  }
                } catch (IOException broken) {
                  failed.set(broken);
                }
              });
      asker.join(Duration.ofMillis(700));
      // Its answers are in nobody's way.
      for (int i = 0; i < 20; i++) {
        checkLiving(other, target);
      }
      assertThat(asker.isAlive()).as("still has something to ask").isTrue();
      byte[] header = frame(ANSWER, 0, size);
      for (int i = 0; i < requests; i++) {
        byte[] answer = RawPeer.read(socket, 16 + size);
        answer[7] = 0;
        assertThat(Arrays.copyOf(answer, 16)).isEqualTo(header);
        assertThat(Arrays.mismatch(answer, 16, 16 + size, content, i % 255, i % 255 + size))
            .as("answer %d", i)
            .isEqualTo(-1);
      }
      asker.join();
      assertThat(failed.get()).isNull();
    }
  }

  @Test
  @DisplayName("A frame may reach four places, each in another region")
  void fourPlaces() throws Exception {
    try (Rig target = Rig.reliable(hints());
        RawPeer peer = new RawPeer();
        Socket socket = peer.join(target.name(), 5)) {
      MemoryRegion[] regions = new MemoryRegion[4];
      long[] places = new long[12];
      for (int i = 0; i < 4; i++) {
        MemorySegment memory =
            i % 2 == 0 ? Rig.buffer(30_000) : MemorySegment.ofArray(new byte[30_000]);
        regions[i] = target.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE);
        places[3 * i] = 10L * i;
        places[3 * i + 1] = 5_000L * (i + 1);
        places[3 * i + 2] = regions[i].key();
      }
      byte[] content = numbered(50_000);
      OutputStream out = socket.getOutputStream();
      out.write(frame(WRITE, 4, content.length, places));
      out.write(content);
      assertThat(RawPeer.read(socket, 16)[4]).as("acknowledged").isEqualTo((byte) 2);
      int at = 0;
      for (int i = 0; i < 4; i++) {
        int size = (int) places[3 * i + 1];
        assertThat(regions[i].memory().asSlice(places[3 * i], size).toArray(ValueLayout.JAVA_BYTE))
            .isEqualTo(Arrays.copyOfRange(content, at, at + size));
        at += size;
      }
      out.write(frame(READ_REQUEST, 0, 0, places));
      RawPeer.read(socket, 16);
      assertThat(RawPeer.read(socket, 50_000)).isEqualTo(content);
      // No byte of a place is a write of nothing, but not without a key.
      out.write(frame(WRITE, 4, 0, places(1, 0, 0, regions[0].key())));
      assertThat(RawPeer.read(socket, 16)[4]).isEqualTo((byte) 2);
      out.write(frame(READ_REQUEST, 0, 0, places(1, 0, 0, regions[0].key())));
      assertThat(RawPeer.read(socket, 16)[1]).isEqualTo((byte) ANSWER);
      for (MemoryRegion each : regions) {
        each.close();
      }
    }
  }

  @Test
  @DisplayName("Frames that make no sense, or reach too far, cost their connection and no byte")
  void nonsense() throws Exception {
    MemorySegment memory = Rig.buffer(100);
    try (Rig target = Rig.reliable(hints());
        Rig other = Rig.reliable(hints());
        RawPeer peer = new RawPeer();
        MemoryRegion region =
            target.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
      long key = region.key();
      List<byte[]> frames = new ArrayList<>();
      // With immediate data, but no place and so no key.
      byte[] written = Arrays.copyOf(frame(WRITE, 1, 8), 24);
      written[6] = 24;
      frames.add(frame(ANSWER, 0, 0));
      frames.add(frame(ANSWER, 0, 10));
      frames.add(frame(READ_REQUEST, 0, 0));
      frames.add(frame(WRITE, 4, 0));
      frames.add(written);
      frames.add(frame(READ_REQUEST, 0, 1, places(1, 0, 1, key)));
      frames.add(frame(READ_REQUEST, 0, 0, places(5, 0, 1, key)));
      frames.add(frame(WRITE, 0, 5, places(5, 0, 1, key)));
      frames.add(frame(WRITE, 0, 11, places(1, 0, 10, key)));
      frames.add(frame(WRITE, 0, 9, places(1, 0, 10, key)));
      frames.add(frame(WRITE, 0, 0, places(1, 101, 0, key)));
      frames.add(frame(WRITE, 0, 2, 0, 1, key, 0, 1, key + 1));
      frames.add(frame(WRITE, 0, 2, 0, 1, key, 100, 1, key));
      frames.add(frame(READ_REQUEST, 0, 0, 0, 1, key, -1, 2, key));
      frames.add(frame(READ_REQUEST, 0, 0, 0, 1, key, 0, -1, key));
      frames.add(frame(WRITE, 0, Long.MAX_VALUE - 40, places(1, 0, Long.MAX_VALUE - 40, key)));
      int life = 5;
      for (byte[] each : frames) {
        try (Socket socket = peer.join(target.name(), life++)) {
          socket.getOutputStream().write(each);
          socket.getOutputStream().write(new byte[] {1, 2, 3});
          assertThat(RawPeer.isClosed(socket)).as(Arrays.toString(each)).isTrue();
        } catch (IOException resetWhileWriting) {
          // As good as closed.
        }
      }
      assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
      checkLiving(other, target);
    }
  }

  @Test
  @DisplayName("A region that is closed in the middle of a write takes no further byte")
  void closedDuringWrite() throws Exception {
    int size = 4 << 20;
    try (Rig target = Rig.reliable(hints());
        Rig other = Rig.reliable(hints());
        RawPeer peer = new RawPeer();
        Socket socket = peer.join(target.name(), 5)) {
      Arena arena = Arena.ofShared();
      MemorySegment memory = arena.allocate(size);
      MemoryRegion region = target.domain.register(memory, Access.REMOTE_WRITE);
      OutputStream out = socket.getOutputStream();
      out.write(frame(WRITE, 0, size, places(1, 0, size, region.key())));
      byte[] ones = new byte[size / 2];
      Arrays.fill(ones, (byte) 1);
      out.write(ones);
      await(() -> memory.get(ValueLayout.JAVA_BYTE, size / 2 - 1) == 1);
      region.close();
      memory.fill((byte) 0);
      try {
        out.write(ones);
        out.flush();
        assertThat(RawPeer.isClosed(socket)).isTrue();
      } catch (IOException reset) {
        // As good as closed.
      }
      assertThat(memory.mismatch(MemorySegment.ofArray(new byte[size]))).isEqualTo(-1);
      arena.close();
      checkLiving(other, target);
    }
  }

  @Test
  @DisplayName("A region that is closed in the middle of an answer gives no further byte")
  void closedDuringRead() throws Exception {
    int size = 64 << 20;
    try (Rig target = Rig.reliable(hints());
        Rig other = Rig.reliable(hints());
        RawPeer peer = new RawPeer();
        Socket socket = peer.join(target.name(), 5)) {
      Arena arena = Arena.ofShared();
      MemorySegment memory = arena.allocate(size);
      MemoryRegion region = target.domain.register(memory, Access.REMOTE_READ);
      for (int i = 0; i < 3; i++) {
        socket.getOutputStream().write(frame(READ_REQUEST, 0, 0, places(1, 0, size, region.key())));
      }
      RawPeer.read(socket, 16 + 1_000);
      region.close();
      memory.fill((byte) 1);
      arena.close();
      long rest = 0;
      try {
        byte[] buffer = new byte[1 << 16];
        int count = socket.getInputStream().read(buffer);
        while (count > 0) {
          for (int i = 0; i < count; i++) {
            assertThat(buffer[i]).isZero();
          }
          rest += count;
          count = socket.getInputStream().read(buffer);
        }
      } catch (IOException reset) {
        // As good as closed.
      }
      assertThat(rest).isLessThan(size);
      checkLiving(other, target);
    }
  }

  private interface Condition {
    boolean holds();
  }

  private static void await(Condition condition) throws InterruptedException {
    while (!condition.holds()) {
      Thread.sleep(1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("Memory is free at once when its region is closed, whatever peers do meanwhile")
  void freedWhileUsed(Progress progress) throws Exception {
    int size = 300_000;
    int rounds = System.getProperty("ofi4j.long") == null ? 200 : 400;
    try (Rig target = Rig.reliable(hints(progress));
        Rig rig = Rig.reliable(hints(Progress.AUTO))) {
      long peer = rig.insert(target);
      AtomicReference<MemoryRegion> current = new AtomicReference<>();
      AtomicBoolean ended = new AtomicBoolean();
      AtomicBoolean unwanted = new AtomicBoolean();
      AtomicReference<Throwable> failed = new AtomicReference<>();
      AtomicInteger used = new AtomicInteger();
      Thread mover =
          thread(
              failed,
              () -> {
                // The last operation of the other one needs it too.
                while (!unwanted.get()) {
                  try {
                    target.move(Duration.ofMillis(1));
                  } catch (InterruptedException freed) {
                    // By the JVM, because the thread was in memory that was freed.
                  }
                }
              });
      Thread user =
          thread(
              failed,
              () -> {
                MemorySegment buffer = Rig.buffer(size);
                for (long i = 0; !ended.get(); i++) {
                  MemoryRegion region = current.get();
                  if (region == null) {
                    Thread.onSpinWait();
                    continue;
                  }
                  used.incrementAndGet();
                  if (i % 2 == 0) {
                    rig.endpoint().read(buffer, peer, region.place(), "read");
                    rig.next();
                  } else {
                    rig.endpoint()
                        .write(
                            new WriteRequest()
                                .memory(buffer)
                                .destination(peer)
                                .place(region.place())
                                .context("write")
                                .completes(CompletionLevel.DELIVERED));
                    rig.next();
                  }
                }
              });
      for (int round = 0; (round < rounds || used.get() < 20) && failed.get() == null; round++) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(size);
        MemoryRegion region =
            target.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE);
        current.set(region);
        Thread.sleep(round % 7);
        if (round % 3 == 0) {
          // The application forgot the region. Where a call of the kernel has the memory at this
          // moment the arena says so.
          while (!closes(arena)) {
            // Whoever has the memory needs a processor to give it back.
            Thread.sleep(1);
          }
          region.close();
        } else {
          region.close();
          arena.close();
        }
      }
      ended.set(true);
      user.join();
      unwanted.set(true);
      mover.join();
      assertThat(failed.get()).isNull();
    }
  }

  private static boolean closes(Arena arena) {
    try {
      arena.close();
      return true;
    } catch (IllegalStateException busy) {
      return false;
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  private static Thread thread(AtomicReference<Throwable> failed, Body body) {
    return Thread.ofPlatform()
        .start(() -> {
          try {
            body.run();
          } catch (Throwable broken) {
            failed.compareAndSet(null, broken);
          }
        });
  }

  @Test
  @DisplayName("Memory that is confined to a thread is reached while that thread reads the queue")
  void confined() throws Exception {
    try (Rig manual = Rig.reliable(hints(Progress.MANUAL));
        Rig automatic = Rig.reliable(hints(Progress.AUTO));
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(100_000);
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> automatic.domain.register(memory, Access.REMOTE_READ))
          .hasMessageContaining("confined");
      try (MemoryRegion region =
          manual.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        long peer = automatic.insert(manual);
        MemorySegment buffer = Rig.buffer(100_000).fill((byte) 3);
        automatic
            .endpoint()
            .write(
                new WriteRequest()
                    .memory(buffer)
                    .destination(peer)
                    .place(region.place())
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(automatic.next(manual)).isInstanceOf(Completion.Success.class);
        assertThat(memory.mismatch(buffer)).isEqualTo(-1);

        automatic.endpoint().read(buffer, peer, region.place(), "read");
        AtomicReference<Throwable> failed = new AtomicReference<>();
        AtomicBoolean ended = new AtomicBoolean();
        Thread other =
            thread(
                failed,
                () -> {
                  while (!ended.get()) {
                    manual.move(Duration.ofMillis(1));
                  }
                });
        Completion completion = automatic.next();
        ended.set(true);
        other.join();
        assertThat(failed.get()).isNull();
        assertThat(completion)
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> assertThat(failure.errno()).isEqualTo(Errno.ECONNRESET));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("Writes with data wait for room in the queue, none is lost, and others do not wait")
  void roomForNotices(Progress progress) throws Exception {
    int writes = 3_000;
    try (Rig target =
            Rig.reliable(
                hints(progress), CompletionQueueOptions.of(CompletionFormat.TAGGED).withSize(8));
        Rig rig = Rig.reliable(hints());
        MemoryRegion region = target.domain.register(Rig.buffer(8 * writes), Access.REMOTE_WRITE)) {
      long peer = rig.insert(target);
      int posted = 0;
      int told = 0;
      MemorySegment number = Rig.buffer(8);
      Thread.sleep(progress == Progress.AUTO ? 50 : 0);
      while (posted < writes) {
        number.set(ValueLayout.JAVA_LONG, 0, posted);
        WriteRequest request = new WriteRequest().memory(number).destination(peer).data(posted);
        if (rig.endpoint().tryInjectWrite(request.place(region.place(), 8L * posted))) {
          posted++;
        } else {
          // Nobody has read the target's queue so far: it is full, and the writer waits.
          told = tellOne(target, region, told);
        }
      }
      while (told < writes) {
        told = tellOne(target, region, told);
      }
    }
  }

  private static int tellOne(Rig target, MemoryRegion region, int told)
      throws InterruptedException {
    Completion.Success notice = (Completion.Success) target.next();
    assertThat(notice.data()).isEqualTo(told);
    assertThat(region.memory().getAtIndex(ValueLayout.JAVA_LONG, told)).isEqualTo(told);
    return told + 1;
  }

  @Test
  @DisplayName("A write that must outlast a crash is in the file when it completes")
  void committed(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("memory");
    try (Rig target = Rig.reliable(hints());
        Rig rig = Rig.reliable(hints());
        Arena arena = Arena.ofShared();
        java.nio.channels.FileChannel channel =
            java.nio.channels.FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment memory =
          channel.map(java.nio.channels.FileChannel.MapMode.READ_WRITE, 0, 100_000, arena);
      long peer = rig.insert(target);
      try (MemoryRegion region = target.domain.register(memory, Access.REMOTE_WRITE)) {
        byte[] written = numbered(50_000);
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(MemorySegment.ofArray(written))
                    .destination(peer)
                    .place(region.place().from(1_000))
                    .context("write")
                    .completes(CompletionLevel.COMMITTED));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        byte[] stored = java.nio.file.Files.readAllBytes(file);
        assertThat(Arrays.copyOfRange(stored, 1_000, 51_000)).isEqualTo(written);
      }
    }
  }

  @Test
  @DisplayName("Memory to read into that is gone when the answer comes fails that read alone")
  void nowhereToRead() throws Exception {
    try (Rig rig = Rig.reliable(hints());
        RawPeer peer = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      Arena arena = Arena.ofShared();
      rig.endpoint()
          .read(arena.allocate(100_000), handle, new RemotePlace(0, Long.MAX_VALUE, 1), "gone");
      MemorySegment kept = Rig.buffer(8);
      rig.endpoint().read(kept, handle, new RemotePlace(0, kept.byteSize(), 1), "kept");
      try (Socket socket = peer.accept(7)) {
        assertThat(RawPeer.read(socket, 40)).hasSize(40);
        assertThat(RawPeer.read(socket, 40)).hasSize(40);
        arena.close();
        OutputStream out = socket.getOutputStream();
        out.write(frame(ANSWER, 0, 100_000));
        out.write(new byte[100_000]);
        out.write(frame(ANSWER, 0, 8));
        out.write(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        Completion gone = rig.next();
        assertThat(gone).isInstanceOf(Completion.Failure.class);
        assertThat(((Completion.Failure) gone).context()).isEqualTo("gone");
        Completion read = rig.next();
        assertThat(read).isInstanceOf(Completion.Success.class);
        assertThat(kept.toArray(ValueLayout.JAVA_BYTE))
            .isEqualTo(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
      }
    }
  }

  @Test
  @DisplayName("Reads whose peer leaves before the answer, or in its middle, fail")
  void peerLeaves() throws Exception {
    try (Rig rig = Rig.reliable(hints());
        RawPeer peer = new RawPeer()) {
      long handle = rig.vector.insert(peer.name());
      for (int part : new int[] {0, 10, 16, 100}) {
        rig.endpoint().read(Rig.buffer(200), handle, new RemotePlace(0, Long.MAX_VALUE, 1), part);
        rig.endpoint()
            .read(Rig.buffer(200), handle, new RemotePlace(0, Long.MAX_VALUE, 1), "second");
        try (Socket socket = peer.accept(7 + part)) {
          RawPeer.read(socket, 80);
          byte[] answer = Arrays.copyOf(frame(ANSWER, 0, 200), 216);
          socket.getOutputStream().write(answer, 0, part);
        }
        List<Object> contexts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          Completion completion = rig.next();
          assertThat(completion).isInstanceOf(Completion.Failure.class);
          assertThat(((Completion.Failure) completion).errno()).isEqualTo(Errno.ECONNRESET);
          contexts.add(((Completion.Failure) completion).context());
        }
        assertThat(contexts).containsExactlyInAnyOrder(part, "second");
      }
    }
  }
}
