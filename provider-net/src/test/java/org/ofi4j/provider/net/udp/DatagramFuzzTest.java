// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/**
 * Datagrams of any length and content, from known and unknown senders, for buffers of any length
 * and kind: each is delivered as what it is, once, and nothing else happens. Every build replays
 * the inputs that are kept in {@code DatagramFuzzTestInputs}; to look for new ones, ten million
 * executions,
 *
 * <pre>
 *   JAZZER_FUZZ=1 mvn -pl provider-net -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dofi4j.test.args=-Djunit.jupiter.execution.timeout.mode=disabled \
 *       -Dtest=DatagramFuzzTest
 * </pre>
 */
class DatagramFuzzTest {
  private static @Nullable Bench bench;

  /** Stays open from input to input. */
  private static final class Bench {
    private final Rig rig =
        new Rig(Rig.withSource(Rig.udp(), Capability.SOURCE_ERR).withProgress(Progress.MANUAL));
    private final DatagramEndpoint endpoint = rig.datagrams();
    private final DatagramEndpoint known = rig.datagrams();
    private final long toEndpoint = rig.insert(endpoint);
    private final long toKnown = rig.insert(known);
    private final InetSocketAddress address = SocketAddresses.of(endpoint.address());
    private final DatagramChannel stranger;
    private final FabricAddress strangersName;
    private final MemorySegment nativeMemory = Arena.ofAuto().allocate(1 << 16);
    private final byte[] heapMemory = new byte[1 << 16];
    private final List<Completion> taken = new ArrayList<>();

    Bench() {
      try {
        stranger = DatagramChannel.open();
        stranger.bind(new InetSocketAddress("127.0.0.1", 0));
        strangersName = FabricAddress.of((InetSocketAddress) stranger.getLocalAddress());
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }

    void run(FuzzedDataProvider data) throws Exception {
      boolean fromStranger = data.consumeBoolean();
      boolean postFirst = data.consumeBoolean();
      boolean withdraw = data.consumeBoolean();
      int room = data.consumeBoolean() ? data.consumeInt(0, 64) : data.consumeInt(0, 65_536);
      MemorySegment memory =
          data.consumeBoolean() ? nativeMemory : MemorySegment.ofArray(heapMemory);
      int offset = Math.min(data.consumeInt(0, 64), (1 << 16) - room);
      int repeat = data.consumeInt(1, 4_000);
      byte[] payload = payload(data.consumeRemainingAsBytes(), repeat);
      MemorySegment buffer = memory.asSlice(offset, room);
      if (withdraw) {
        endpoint.receive(buffer, "withdrawn");
        check(endpoint.cancel("withdrawn"), "cancel", payload);
        Completion next = next();
        check(next instanceof Completion.Failure f && f.errno() == Errno.ECANCELED, next, payload);
      }
      if (postFirst) {
        endpoint.receive(buffer, buffer);
      }
      if (fromStranger) {
        stranger.send(ByteBuffer.wrap(payload), address);
      } else {
        known.send(MemorySegment.ofArray(payload), toEndpoint, payload);
        Completion sent = next();
        check(sent instanceof Completion.Success && sent.context() == payload, sent, payload);
      }
      if (!postFirst) {
        rig.queue.poll(Rig.collector(taken), 4);
        check(taken.isEmpty(), taken, payload);
        endpoint.receive(buffer, buffer);
      }
      received(next(), buffer, payload, fromStranger);
      rig.queue.poll(Rig.collector(taken), 4);
      check(taken.isEmpty() && rig.vector.size() == 2, taken, payload);
    }

    private void received(
        Completion got, MemorySegment buffer, byte[] payload, boolean fromStranger) {
      long fits = Math.min(buffer.byteSize(), payload.length);
      check(got.context() == buffer && Rig.length(got) == fits, got, payload);
      check(Rig.source(got) == (fromStranger ? Handles.NOT_AVAILABLE : toKnown), got, payload);
      check(
          MemorySegment.mismatch(buffer, 0, fits, MemorySegment.ofArray(payload), 0, fits) == -1,
          got,
          payload);
      if (payload.length > fits) {
        check(
            got instanceof Completion.Failure failure
                && failure.errno() == Errno.ETRUNC
                && failure.overflow() == payload.length - fits,
            got,
            payload);
      } else if (fromStranger) {
        check(
            got instanceof Completion.Failure failure
                && failure.errno() == Errno.EADDRNOTAVAIL
                && Arrays.equals(failure.errorData(), strangersName.toBytes()),
            got,
            payload);
      } else {
        check(got instanceof Completion.Success, got, payload);
      }
    }

    private Completion next() throws InterruptedException {
      rig.queue.poll(Rig.collector(taken), 1, Rig.PATIENCE);
      return taken.removeFirst();
    }

    private static byte[] payload(byte[] bytes, int repeat) {
      int length = (int) Math.min((long) bytes.length * repeat, UdpLimits.MAX_MESSAGE_IPV4);
      byte[] payload = new byte[length];
      for (int i = 0; i < length; i += bytes.length) {
        System.arraycopy(bytes, 0, payload, i, Math.min(bytes.length, length - i));
      }
      return payload;
    }

    private static void check(boolean holds, Object outcome, byte[] payload) {
      if (!holds) {
        throw new AssertionError(payload.length + " bytes -> " + outcome);
      }
    }
  }

  @FuzzTest(maxDuration = "2h", maxExecutions = 10_000_000)
  void datagram(FuzzedDataProvider data) throws Exception {
    Bench present = bench;
    if (present == null) {
      present = new Bench();
      bench = present;
    }
    present.run(data);
  }

  @AfterAll
  static void close() throws IOException {
    Bench present = bench;
    bench = null;
    if (present != null) {
      present.stranger.close();
      present.rig.close();
    }
  }
}
