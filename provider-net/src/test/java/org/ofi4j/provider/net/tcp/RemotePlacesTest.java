// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
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
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Operations that reach several places in a peer's memory. */
class RemotePlacesTest {
  private static final int SIZE = 500_000;

  private final SplittableRandom random = new SplittableRandom(7);

  static List<Hints> kinds() {
    return Rig.tcpKinds().stream().map(each -> each.withMoreCapabilities(Capability.RMA)).toList();
  }

  private byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private static MemorySegment[] cut(byte[] bytes, int... cuts) {
    MemorySegment[] parts = new MemorySegment[cuts.length + 1];
    for (int i = 0; i < parts.length; i++) {
      int from = i == 0 ? 0 : cuts[i - 1];
      int to = i == cuts.length ? bytes.length : cuts[i];
      parts[i] = MemorySegment.ofArray(bytes).asSlice(from, to - from);
    }
    return parts;
  }

  private static Completion.Success success(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return (Completion.Success) completion;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Up to four places, in several regions, are written and read one after the other")
  void severalPlaces(Hints hints) throws InterruptedException {
    try (Rig target = Rig.reliable(hints);
        Rig rig = Rig.reliable(hints)) {
      long peer = rig.insert(target);
      byte[] first = bytes(SIZE);
      byte[] second = bytes(SIZE);
      MemorySegment outside = Rig.buffer(SIZE).copyFrom(MemorySegment.ofArray(first));
      MemorySegment heap = MemorySegment.ofArray(second.clone());
      try (MemoryRegion one =
              target.domain.register(outside, Access.REMOTE_READ, Access.REMOTE_WRITE);
          MemoryRegion other =
              target.domain.register(heap, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        RemotePlace[] places = {
          new RemotePlace(9, 200_000, one.key()),
          new RemotePlace(100, 0, one.key()),
          new RemotePlace(0, 3, other.key()),
          new RemotePlace(250_000, 100_000, one.key())
        };
        byte[] sent = bytes(300_003);
        MemorySegment[] parts = cut(sent, 10, 10, 210_000);
        RemotePlace[] given = places.clone();
        rig.endpoint()
            .write(
                new WriteRequest()
                    .parts(parts)
                    .destination(peer)
                    .places(given)
                    .data(5)
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        Arrays.fill(given, null);
        assertThat(success(rig.next(target)).context()).isEqualTo("write");
        Completion.Success notice = success(target.next(rig));
        assertThat(notice.data()).isEqualTo(5);
        assertThat(notice.flags() & CompletionFlag.REMOTE_WRITE.mask()).isNotZero();
        assertThat(notice.length()).isEqualTo(sent.length);
        System.arraycopy(sent, 0, first, 9, 200_000);
        System.arraycopy(sent, 200_000, second, 0, 3);
        System.arraycopy(sent, 200_003, first, 250_000, 100_000);
        assertThat(outside.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(first);
        assertThat(heap.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(second);

        byte[] came = new byte[sent.length];
        rig.endpoint()
            .read(
                new ReadRequest()
                    .parts(cut(came, 1, 299_000))
                    .source(peer)
                    .places(places)
                    .context("read"));
        assertThat(success(rig.next(target)).context()).isEqualTo("read");
        assertThat(came).isEqualTo(sent);

        // Operations are used again: the next one reaches one place.
        MemorySegment small = MemorySegment.ofArray(new byte[] {1, 2, 3});
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(small)
                    .destination(peer)
                    .place(other.place().from(20))
                    .context("small")
                    .completes(CompletionLevel.DELIVERED));
        success(rig.next(target));
        assertThat(heap.asSlice(20, 3).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3);
      }
    }
  }

  @Test
  @DisplayName("If one of the places may not be reached, none is")
  void oneIsRefused() throws InterruptedException {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA);
    try (Rig target = Rig.reliable(hints);
        Rig rig = Rig.reliable(hints)) {
      long peer = rig.insert(target);
      MemorySegment memory = Rig.buffer(100);
      try (MemoryRegion region = target.domain.register(memory, Access.REMOTE_WRITE)) {
        long key = region.key();
        MemorySegment[] parts = {Rig.buffer(20).fill((byte) 1)};
        RemotePlace[] places = {new RemotePlace(0, 10, key), new RemotePlace(91, 10, key)};
        rig.endpoint()
            .write(
                new WriteRequest()
                    .parts(parts)
                    .destination(peer)
                    .places(places)
                    .context("beyond")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(rig.next(target))
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> assertThat(failure.errno()).isEqualTo(Errno.ECONNRESET));
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
      }
    }
  }

  private static void refused(ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContainingAll(words);
  }

  @Test
  @DisplayName("Too many places, none, or places of another length are refused in the call")
  void refusedInTheCall() {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA);
    try (Rig rig = Rig.reliable(hints)) {
      long self = rig.insert(rig);
      assertThat(rig.endpoint().info().transmit().rmaIovLimit()).isEqualTo(4);
      MemorySegment[] parts = {Rig.buffer(2), Rig.buffer(3)};
      RemotePlace one = new RemotePlace(0, 1, 1);
      refused(
          () ->
              rig.endpoint()
                  .read(
                      new ReadRequest()
                          .parts(parts)
                          .source(self)
                          .places(one, one, one, one, one)
                          .context("")),
          "5 places",
          "1 to 4");
      refused(
          () ->
              rig.endpoint()
                  .write(
                      new WriteRequest()
                          .parts(parts)
                          .destination(self)
                          .places(new RemotePlace[0])
                          .context("")),
          "0 places");
      refused(
          () ->
              rig.endpoint()
                  .write(
                      new WriteRequest()
                          .parts(parts)
                          .destination(self)
                          .places(one, one)
                          .context("")),
          "3 bytes less than the 5 bytes here");
      RemotePlace much = new RemotePlace(0, Long.MAX_VALUE, 1);
      refused(
          () ->
              rig.endpoint()
                  .read(
                      new ReadRequest()
                          .parts(parts)
                          .source(self)
                          .places(much, much, much)
                          .context("")),
          "more than the 5 bytes here");
      refused(
          () ->
              rig.endpoint()
                  .read(new ReadRequest().parts(parts).source(self).places(one, null).context("")),
          "places[1]");
      refused(() -> new RemotePlace(0, -1, 1), "-1", "0 bytes or more");
    }
  }
}
