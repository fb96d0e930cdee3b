// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReadRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.TryAgainException;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Reading and writing the memory of peers. */
class RemoteAccessTest {
  private static final long READ = Flag.maskOf(CompletionFlag.RMA, CompletionFlag.READ);
  private static final long WRITE = Flag.maskOf(CompletionFlag.RMA, CompletionFlag.WRITE);
  private static final long WRITTEN =
      Flag.maskOf(CompletionFlag.RMA, CompletionFlag.REMOTE_WRITE, CompletionFlag.REMOTE_CQ_DATA);
  private static final int[] SIZES = {0, 1, 7, 1_024, 16_384, 16_385, 65_535, 65_536, 3_000_001};

  private final SplittableRandom random = new SplittableRandom(42);

  static List<Hints> kinds() {
    return Rig.tcpKinds().stream().map(each -> each.withMoreCapabilities(Capability.RMA)).toList();
  }

  private static Hints ipv4() {
    return Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA);
  }

  private byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private static MemorySegment off(byte[] bytes) {
    return Rig.buffer(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  private static byte[] array(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }

  private static Completion.Success success(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return (Completion.Success) completion;
  }

  private static Completion.Failure failure(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Failure.class);
    return (Completion.Failure) completion;
  }

  private static void refused(Errno errno, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno))
        .hasMessageContainingAll(words);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("What is written is in the peer's memory, and is what is read from there")
  void writesAndReads(Hints hints) throws InterruptedException {
    try (Rig target = Rig.reliable(hints);
        Rig rig = Rig.reliable(hints)) {
      long peer = rig.insert(target);
      for (int size : SIZES) {
        for (boolean heap : new boolean[] {false, true}) {
          byte[] old = bytes(size + 100);
          MemorySegment memory = heap ? MemorySegment.ofArray(old.clone()) : off(old);
          try (MemoryRegion region =
              target.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
            byte[] written = bytes(size);
            MemorySegment from = heap ? MemorySegment.ofArray(written) : off(written);
            rig.endpoint()
                .write(
                    new WriteRequest()
                        .memory(from)
                        .destination(peer)
                        .place(region.place().from(50))
                        .context("write")
                        .completes(CompletionLevel.DELIVERED));
            Completion.Success done = success(rig.next(target));
            assertThat(done.context()).isEqualTo("write");
            assertThat(done.flags()).isEqualTo(WRITE);
            System.arraycopy(written, 0, old, 50, size);
            assertThat(array(memory)).isEqualTo(old);

            MemorySegment into = heap ? MemorySegment.ofArray(new byte[size]) : Rig.buffer(size);
            rig.endpoint().read(into, peer, region.place().from(25), "read");
            done = success(rig.next(target));
            assertThat(done.context()).isEqualTo("read");
            assertThat(done.flags()).isEqualTo(READ);
            assertThat(array(into)).isEqualTo(java.util.Arrays.copyOfRange(old, 25, 25 + size));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Several pieces here are one piece there, in both directions")
  void pieces(Hints hints) throws InterruptedException {
    try (Rig target = Rig.reliable(hints);
        Rig rig = Rig.reliable(hints)) {
      long peer = rig.insert(target);
      byte[] all = bytes(400_000);
      MemorySegment memory = Rig.buffer(all.length);
      try (MemoryRegion region =
          target.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        int[] cuts = {0, 3, 3, 20_003, 220_000, 220_001, 300_000, all.length};
        MemorySegment[] from = new MemorySegment[cuts.length - 1];
        MemorySegment[] into = new MemorySegment[cuts.length - 1];
        for (int i = 0; i < from.length; i++) {
          byte[] piece = java.util.Arrays.copyOfRange(all, cuts[i], cuts[i + 1]);
          from[i] = i % 2 == 0 ? off(piece) : MemorySegment.ofArray(piece);
          into[i] =
              i % 3 == 0 ? Rig.buffer(piece.length) : MemorySegment.ofArray(new byte[piece.length]);
        }
        rig.endpoint()
            .write(
                new WriteRequest()
                    .parts(from)
                    .destination(peer)
                    .place(region.place())
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        success(rig.next(target));
        assertThat(array(memory)).isEqualTo(all);
        rig.endpoint()
            .read(new ReadRequest().parts(into).source(peer).place(region.place()).context("read"));
        success(rig.next(target));
        for (int i = 0; i < into.length; i++) {
          assertThat(array(into[i])).isEqualTo(array(from[i]));
        }
        refused(
            Errno.EINVAL,
            () ->
                rig.endpoint()
                    .read(
                        new ReadRequest()
                            .parts(new MemorySegment[9])
                            .source(peer)
                            .place(region.place())),
            "9 parts");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A write with immediate data completes at the target, after its bytes are there")
  void immediateData(Hints hints) throws InterruptedException {
    try (Rig target = Rig.reliable(hints);
        Rig rig = Rig.reliable(hints)) {
      long peer = rig.insert(target);
      long source = target.insert(rig);
      MemorySegment memory = Rig.buffer(200_000);
      try (MemoryRegion region = target.domain.register(memory, Access.REMOTE_WRITE)) {
        for (int size : new int[] {0, 5, 100_000}) {
          byte[] written = bytes(size);
          rig.endpoint()
              .write(
                  new WriteRequest()
                      .memory(off(written))
                      .destination(peer)
                      .place(region.place().from(9))
                      .data(0xFEED_0000L + size)
                      .context(size));
          Completion.Success told = success(target.next(rig));
          assertThat(told.flags()).isEqualTo(WRITTEN);
          assertThat(told.data()).isEqualTo(0xFEED_0000L + size);
          assertThat(told.length()).isEqualTo(size);
          assertThat(told.source()).isEqualTo(source);
          assertThat(told.context()).isNull();
          assertThat(array(memory.asSlice(9, size))).isEqualTo(written);
          assertThat(success(rig.next(target)).context()).isEqualTo(size);
        }
        byte[] small = bytes(1_024);
        rig.endpoint()
            .injectWrite(
                new WriteRequest()
                    .memory(MemorySegment.ofArray(small.clone()))
                    .destination(peer)
                    .place(region.place())
                    .data(77));
        assertThat(success(target.next(rig)).data()).isEqualTo(77);
        assertThat(array(memory.asSlice(0, 1_024))).isEqualTo(small);
        refused(
            Errno.EMSGSIZE,
            () -> rig.endpoint().injectWrite(Rig.buffer(1_025), peer, region.place()),
            "1024");
      }
    }
  }

  @Test
  @DisplayName("What was injected may be overwritten at once, whether there is a connection or not")
  void injects() throws InterruptedException {
    try (Rig target = Rig.reliable(ipv4());
        Rig rig = Rig.reliable(ipv4())) {
      long peer = rig.insert(target);
      MemorySegment memory = Rig.buffer(8 * 100);
      try (MemoryRegion region = target.domain.register(memory, Access.REMOTE_WRITE)) {
        MemorySegment scratch = Rig.buffer(8);
        for (int i = 0; i < 100; i++) {
          scratch.set(ValueLayout.JAVA_LONG, 0, i);
          rig.endpoint().injectWrite(scratch, peer, region.place().from(8 * i));
          scratch.fill((byte) -1);
        }
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(Rig.buffer(0))
                    .destination(peer)
                    .place(region.place())
                    .context("last")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(success(rig.next(target)).context()).isEqualTo("last");
        for (int i = 0; i < 100; i++) {
          assertThat(memory.getAtIndex(ValueLayout.JAVA_LONG, i)).isEqualTo(i);
        }
      }
    }
  }

  @Test
  @DisplayName("Reads and writes at every edge of a region end well; one byte further they do not")
  void bounds() throws InterruptedException {
    int size = 1_000;
    byte[] old = bytes(size + 200);
    // Guards on both sides show what is touched beyond.
    MemorySegment whole = off(old);
    long[][] inside = {{0, 0}, {0, 1}, {0, size}, {size - 1, 1}, {size, 0}, {1, size - 1}};
    long[][] outside = {
      {0, size + 1},
      {1, size},
      {size, 1},
      {size + 1, 0},
      {-1, 1},
      {-1, 0},
      {Long.MIN_VALUE, 1},
      {Long.MAX_VALUE, 1},
      {Long.MAX_VALUE - 10, 20}
    };
    try (Rig target = Rig.reliable(ipv4());
        Rig rig = Rig.reliable(ipv4())) {
      long peer = rig.insert(target);
      try (MemoryRegion region =
          target.domain.register(
              whole.asSlice(100, size), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        for (long[] place : inside) {
          MemorySegment buffer = Rig.buffer(place[1]);
          rig.endpoint()
              .read(
                  buffer, peer, new RemotePlace(place[0], buffer.byteSize(), region.key()), "read");
          success(rig.next(target));
          assertThat(array(buffer)).isEqualTo(array(whole.asSlice(100 + place[0], place[1])));
          rig.endpoint()
              .write(
                  new WriteRequest()
                      .memory(buffer)
                      .destination(peer)
                      .place(new RemotePlace(place[0], buffer.byteSize(), region.key()))
                      .context("write")
                      .completes(CompletionLevel.DELIVERED));
          success(rig.next(target));
        }
        assertThat(array(whole)).isEqualTo(old);
        for (long[] place : outside) {
          lost(rig, target, peer, place[0], place[1], region.key());
          assertThat(array(whole)).isEqualTo(old);
        }
      }
    }
  }

  /** Neither reading nor writing works; the connection is lost, and the next one is as good. */
  private static void lost(Rig rig, Rig target, long peer, long address, long size, long key)
      throws InterruptedException {
    MemorySegment buffer = Rig.buffer(size).fill((byte) 0x55);
    rig.endpoint().read(buffer, peer, new RemotePlace(address, buffer.byteSize(), key), "read");
    Completion.Failure unread = failure(rig.next(target));
    assertThat(unread.errno()).isEqualTo(Errno.ECONNRESET);
    assertThat(unread.reason()).contains("key, rights and bounds");
    for (byte each : array(buffer)) {
      assertThat(each).isEqualTo((byte) 0x55);
    }
    rig.endpoint()
        .write(
            new WriteRequest()
                .memory(buffer)
                .destination(peer)
                .place(new RemotePlace(address, buffer.byteSize(), key))
                .context("write")
                .completes(CompletionLevel.DELIVERED));
    Completion.Failure failed = failure(rig.next(target));
    assertThat(failed.errno()).isEqualTo(Errno.ECONNRESET);
    assertThat(failed.flags()).isEqualTo(WRITE);
    assertThat(failed.reason()).contains("key, rights and bounds");
    rig.endpoint().send(Rig.message("still there"), peer, "message");
    target.endpoint().receive(Rig.buffer(20), "receive");
    success(rig.next(target));
    success(target.next(rig));
  }

  @Test
  @DisplayName("Keys that are none, and rights that are missing, cost the connection")
  void rights() throws InterruptedException {
    try (Rig target = Rig.reliable(ipv4());
        Rig rig = Rig.reliable(ipv4())) {
      long peer = rig.insert(target);
      byte[] old = bytes(16);
      MemorySegment memory = off(old);
      MemorySegment buffer = Rig.buffer(16).fill((byte) 0x55);
      MemoryRegion closed = target.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE);
      closed.close();
      try (MemoryRegion none = target.domain.register(memory);
          MemoryRegion readable = target.domain.register(memory, Access.REMOTE_READ);
          MemoryRegion writable = target.domain.register(memory, Access.REMOTE_WRITE)) {
        for (long key : new long[] {0, -1, closed.key(), none.key()}) {
          lost(rig, target, peer, 0, 16, key);
        }
        rig.endpoint().read(buffer, peer, writable.place(), "read");
        assertThat(failure(rig.next(target)).errno()).isEqualTo(Errno.ECONNRESET);
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(buffer)
                    .destination(peer)
                    .place(readable.place())
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(failure(rig.next(target)).errno()).isEqualTo(Errno.ECONNRESET);
        assertThat(array(memory)).isEqualTo(old);
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(buffer)
                    .destination(peer)
                    .place(writable.place())
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        success(rig.next(target));
        rig.endpoint().read(buffer, peer, readable.place(), "read");
        success(rig.next(target));
        assertThat(array(memory)).containsOnly(0x55);
      }
    }
  }

  @Test
  @DisplayName("Capabilities limit what an endpoint does, and what is done to it")
  void capabilities() throws InterruptedException {
    Hints plain = Rig.tcp("127.0.0.1", Progress.MANUAL);
    try (Rig target = Rig.reliable(plain);
        Rig reader = Rig.reliable(plain.withMoreCapabilities(Capability.RMA, Capability.READ));
        Rig writer = Rig.reliable(plain.withMoreCapabilities(Capability.RMA, Capability.WRITE));
        MemoryRegion region =
            target.domain.register(Rig.buffer(8), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
      MemorySegment buffer = Rig.buffer(8);
      long peer = reader.insert(target);
      refused(
          Errno.EOPNOTSUPP,
          () -> reader.endpoint().write(buffer, peer, region.place(), null),
          "capability WRITE");
      refused(
          Errno.EOPNOTSUPP,
          () -> reader.endpoint().injectWrite(buffer, peer, region.place()),
          "capability WRITE");
      reader.endpoint().read(buffer, peer, region.place(), "read");
      assertThat(failure(reader.next(target)).errno()).isEqualTo(Errno.ECONNRESET);
      long same = writer.insert(target);
      refused(
          Errno.EOPNOTSUPP,
          () -> writer.endpoint().read(buffer, same, region.place(), null),
          "capability READ");
      writer
          .endpoint()
          .write(
              new WriteRequest()
                  .memory(buffer)
                  .destination(same)
                  .place(region.place())
                  .context("write")
                  .completes(CompletionLevel.DELIVERED));
      assertThat(failure(writer.next(target)).errno()).isEqualTo(Errno.ECONNRESET);
    }
  }

  @Test
  @DisplayName("What cannot be posted is refused, and nothing is posted then")
  void posting() {
    try (Rig rig = Rig.reliable(ipv4())) {
      long self = rig.insert(rig);
      MemorySegment buffer = Rig.buffer(8);
      refused(
          Errno.EINVAL,
          () ->
              rig.endpoint()
                  .read(buffer.asReadOnly(), self, new RemotePlace(0, Long.MAX_VALUE, 1), null),
          "read-only");
      refused(
          Errno.EINVAL,
          () -> rig.endpoint().read(buffer, 99, new RemotePlace(0, buffer.byteSize(), 1), null),
          "0x63");
      refused(
          Errno.EINVAL,
          () -> rig.endpoint().write(buffer, 99, new RemotePlace(0, buffer.byteSize(), 1), null),
          "0x63");
      refused(
          Errno.EBADFLAGS,
          () ->
              rig.endpoint()
                  .read(
                      new ReadRequest()
                          .memory(buffer)
                          .source(self)
                          .place(new RemotePlace(0, buffer.byteSize(), 1))
                          .completes(CompletionLevel.COMMITTED)),
          "0x%x".formatted(TransferFlag.COMMIT_COMPLETE.mask()));
      Arena arena = Arena.ofShared();
      MemorySegment freed = arena.allocate(8);
      arena.close();
      refused(
          Errno.EINVAL,
          () -> rig.endpoint().read(freed, self, new RemotePlace(0, freed.byteSize(), 1), null),
          "freed");
      refused(
          Errno.EINVAL,
          () -> rig.endpoint().write(freed, self, new RemotePlace(0, freed.byteSize(), 1), null),
          "freed");
      refused(Errno.EINVAL, () -> rig.domain.register(freed, Access.REMOTE_READ), "freed");
    }
  }

  @Test
  @DisplayName("Registered memory has a key that nobody else has, and keeps its domain open")
  void registration() {
    Rig rig = Rig.reliable(ipv4());
    MemorySegment memory = Rig.buffer(8);
    MemoryRegion chosen =
        rig.domain.register(
            memory, RegisterOptions.of(Access.REMOTE_READ).withKey(7).withContext("context"));
    assertThat(chosen.key()).isEqualTo(7);
    assertThat(chosen.context()).isEqualTo("context");
    assertThat(chosen.length()).isEqualTo(8);
    assertThat(chosen.access()).isEqualTo(Access.REMOTE_READ.mask());
    assertThat(chosen.domain()).isSameAs(rig.domain);
    assertThat(chosen.memory()).isSameAs(memory);
    MemoryRegion other = rig.domain.register(memory, Access.REMOTE_WRITE);
    assertThat(other.key()).isNotEqualTo(7);
    refused(
        Errno.ENOKEY,
        () -> rig.domain.register(memory, RegisterOptions.of().withKey(7)),
        "take another");
    refused(
        Errno.EKEYREJECTED,
        () -> rig.domain.register(memory, RegisterOptions.of().withKey(Handles.KEY_NOT_AVAILABLE)),
        "stands for none");
    refused(Errno.EINVAL, () -> rig.domain.register(Rig.buffer(0)), "no bytes");
    refused(
        Errno.EINVAL,
        () -> rig.domain.register(memory.asReadOnly(), Access.REMOTE_WRITE),
        "read-only");
    rig.domain.register(memory.asReadOnly(), Access.REMOTE_READ).close();
    rig.endpoint().close();
    rig.queue.close();
    rig.vector.close();
    refused(Errno.EBUSY, rig.domain::close, chosen.toString());
    chosen.close();
    chosen.close();
    assertThat(chosen.isOpen()).isFalse();
    MemoryRegion again = rig.domain.register(memory, RegisterOptions.of().withKey(7));
    again.close();
    other.close();
    rig.close();
    refused(Errno.EINVAL, () -> rig.domain.register(memory), "closed");
  }

  @Test
  @DisplayName("Thousands of regions are each found by their key, whatever comes and goes")
  void manyRegions() throws InterruptedException {
    try (Rig target = Rig.reliable(ipv4());
        Rig rig = Rig.reliable(ipv4())) {
      long peer = rig.insert(target);
      MemorySegment memory = Rig.buffer(8 * 3_000);
      MemoryRegion[] regions = new MemoryRegion[3_000];
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < regions.length; i++) {
          if (regions[i] == null) {
            RegisterOptions readable = RegisterOptions.of(Access.REMOTE_READ);
            memory.setAtIndex(ValueLayout.JAVA_LONG, i, 10L * i + round);
            regions[i] =
                target.domain.register(
                    memory.asSlice(8L * i, 8),
                    i % 2 == 0 ? readable : readable.withKey((long) i << 32));
          }
        }
        for (int i = 0; i < regions.length; i += 37) {
          MemorySegment into = Rig.buffer(8);
          rig.endpoint().read(into, peer, regions[i].place(), i);
          success(rig.next(target));
          assertThat(into.get(ValueLayout.JAVA_LONG, 0) / 10).isEqualTo(i);
        }
        for (int i = 0; i < regions.length; i++) {
          if (random.nextInt(3) > 0) {
            regions[i].close();
            regions[i] = null;
          }
        }
      }
      Stream.of(regions).filter(each -> each != null).forEach(MemoryRegion::close);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Two that read and write each other's memory at once, more than either answers")
  void bothWays(Hints hints) throws InterruptedException {
    int reads = 900;
    int size = 20_000;
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      byte[] leftBytes = bytes(size);
      byte[] rightBytes = bytes(size);
      long toLeft = right.insert(left);
      long toRight = left.insert(right);
      try (MemoryRegion leftRegion = left.domain.register(off(leftBytes), Access.REMOTE_READ);
          MemoryRegion rightRegion = right.domain.register(off(rightBytes), Access.REMOTE_READ)) {
        MemorySegment[] fromLeft = new MemorySegment[reads];
        MemorySegment[] fromRight = new MemorySegment[reads];
        for (int i = 0; i < reads; i++) {
          fromLeft[i] = Rig.buffer(size);
          fromRight[i] = Rig.buffer(size);
          right.endpoint().read(fromLeft[i], toLeft, leftRegion.place(), i);
          left.endpoint().read(fromRight[i], toRight, rightRegion.place(), i);
        }
        for (int i = 0; i < reads; i++) {
          assertThat(success(right.next(left)).context()).isEqualTo(i);
          assertThat(success(left.next(right)).context()).isEqualTo(i);
          assertThat(fromLeft[i].mismatch(MemorySegment.ofArray(leftBytes))).isEqualTo(-1);
          assertThat(fromRight[i].mismatch(MemorySegment.ofArray(rightBytes))).isEqualTo(-1);
        }
      }
    }
  }

  @Test
  @DisplayName("An endpoint reads and writes its own memory, and of another one of its domain")
  void oneself() throws InterruptedException {
    try (Rig rig = Rig.reliable(ipv4())) {
      long self = rig.insert(rig);
      MemorySegment memory = Rig.buffer(100_000);
      try (MemoryRegion region =
          rig.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        byte[] written = bytes(100_000);
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(off(written))
                    .destination(self)
                    .place(region.place())
                    .data(5)
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        Completion.Success first = success(rig.next());
        Completion.Success second = success(rig.next());
        assertThat(List.of(first.flags(), second.flags()))
            .containsExactlyInAnyOrder(WRITE, WRITTEN);
        assertThat(array(memory)).isEqualTo(written);
        MemorySegment into = Rig.buffer(100_000);
        rig.endpoint().read(into, self, region.place(), "read");
        success(rig.next());
        assertThat(array(into)).isEqualTo(written);
      }
    }
  }

  @Test
  @DisplayName("A full transmit queue says so, and what was posted is done")
  void fullQueue() throws InterruptedException {
    Hints hints = ipv4();
    try (Rig target = Rig.reliable(hints);
        Rig rig = Rig.reliable(hints);
        MemoryRegion region = target.domain.register(Rig.buffer(8), Access.REMOTE_READ)) {
      long peer = rig.insert(target);
      int size = rig.endpoint().info().transmit().size();
      MemorySegment into = Rig.buffer(8);
      Consumer<Object> read = context -> rig.endpoint().read(into, peer, region.place(), context);
      for (int i = 0; i < size; i++) {
        read.accept(i);
      }
      assertThat(rig.endpoint().tryRead(into, peer, region.place(), "too many")).isFalse();
      assertThatThrownBy(() -> read.accept("too many")).isInstanceOf(TryAgainException.class);
      for (int i = 0; i < size; i++) {
        assertThat(success(rig.next(target)).context()).isEqualTo(i);
      }
      read.accept("again");
      assertThat(success(rig.next(target)).context()).isEqualTo("again");
    }
  }
}
