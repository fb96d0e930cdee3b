// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.Progress;
import org.ofi4j.RegisterOptions;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.rma.AccessedMemory;
import org.ofi4j.provider.net.rma.Commits;
import org.ofi4j.provider.net.rma.RemoteAccess;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Shortage;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Any bytes as the frames of a peer that knows the keys of our regions: whatever it asks for, and
 * however its bytes are cut into pieces, it reads and writes nothing but the regions, in frames
 * that make sense. To look for new inputs,
 *
 * <pre>
 *   JAZZER_FUZZ=1 mvn -pl provider-net -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dofi4j.test.args=-Djunit.jupiter.execution.timeout.mode=disabled \
 *       -Dtest=RemoteAccessFuzzTest
 * </pre>
 */
class RemoteAccessFuzzTest {
  private static final int GUARD = 64;
  private static final int SIZE = 100;
  private static final byte BESIDE = 0x5A;

  private static final Rig RIG =
      Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL).withMoreCapabilities(Capability.RMA));
  private static final KitDomain DOMAIN = (KitDomain) RIG.domain;
  private static final MemorySegment HEAP = MemorySegment.ofArray(new byte[SIZE + 2 * GUARD]);
  private static final MemorySegment OUTSIDE = Arena.global().allocate(SIZE + 2 * GUARD);
  private static final SocketChannel CHANNEL = channel();

  // What comes asks neither for more than whether much is kept.

  // One for all inputs, as one endpoint has it for all connections: what one leaves behind must not
  // matter to the next. A new one for each would also be one more that the domain knows for ever.
  private static final RemoteAccess REMOTE =
      new RemoteAccess(
          RIG.endpoint().info(),
          new AccessedMemory.Reachable(DOMAIN.regions(), null, (_, _, _) -> false),
          () -> {},
          new ReceiveOutcomes[0],
          new Counters(),
          new Commits(Runnable::run, () -> {}));
  private static final Connection.Owner OWNER =
      new IdleOwner() {
        @Override
        protected FrameHandler handler(Connection connection) {
          return new FrameArrivals(connection, null, REMOTE, mover);
        }
      };
  private static final Outcome OUTCOME = new Outcome();
  private static final MemorySegment BESIDES = MemorySegment.ofArray(new byte[GUARD]).fill(BESIDE);

  static {
    RegisterOptions both = RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE);
    DOMAIN.register(HEAP.asSlice(GUARD, SIZE), both.withKey(0));
    DOMAIN.register(OUTSIDE.asSlice(GUARD, SIZE), both.withKey(1));
    DOMAIN.register(HEAP.asSlice(GUARD, 10), RegisterOptions.of(Access.REMOTE_READ).withKey(2));
    DOMAIN.register(OUTSIDE.asSlice(GUARD, 10), RegisterOptions.of(Access.REMOTE_WRITE).withKey(3));
  }

  private static SocketChannel channel() {
    try {
      return SocketChannel.open();
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Gives bytes in pieces, which grow, so that a long input does not take long. */
  private static final class Incoming implements ReadableByteChannel {
    private static final int OF_A_SIZE = 16;

    private final ByteBuffer bytes;
    private int piece;
    private int pieces;

    Incoming(byte[] bytes, int piece) {
      this.bytes = ByteBuffer.wrap(bytes);
      this.piece = piece;
    }

    @Override
    public int read(ByteBuffer into) {
      if (++pieces % OF_A_SIZE == 0) {
        piece *= 2;
      }
      int count = Math.min(piece, Math.min(bytes.remaining(), into.remaining()));
      into.put(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** Takes the frames apart that go to the peer. */
  private static final class Outcome implements GatheringByteChannel {
    private final ByteBuffer bytes = ByteBuffer.allocate(1 << 20);

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      long sum = 0;
      for (int i = offset; i < offset + length; i++) {
        sum += write(from[i]);
      }
      return sum;
    }

    @Override
    public long write(ByteBuffer[] from) {
      return write(from, 0, from.length);
    }

    @Override
    public int write(ByteBuffer from) {
      int count = from.remaining();
      bytes.put(from);
      return count;
    }

    /** Whether all of it is acknowledgements and answers, no longer than four regions. */
    boolean makesSense() {
      FrameHeader header = new FrameHeader();
      ByteBuffer all = bytes.flip().order(ByteOrder.LITTLE_ENDIAN);
      byte[] content = new byte[all.limit()];
      all.get(0, content);
      int at = 0;
      while (at < content.length) {
        int size = header.decode(all, at, all.limit() - at, false);
        boolean fits =
            size > 0
                && (header.isAcknowledgement() || header.operation() == FrameHeader.READ_RESPONSE)
                && header.payload() <= FrameHeader.MAX_SEGMENTS * SIZE
                && header.payload() <= all.limit() - at - size;
        if (!fits) {
          return false;
        }
        if (has(content, at + size, (int) header.payload())) {
          return false;
        }
        at += size + (int) header.payload();
      }
      bytes.clear();
      return true;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void frames(FuzzedDataProvider data) throws IOException {
    int piece = data.consumeInt(1, 300);
    byte[] bytes = withoutGuards(data.consumeRemainingAsBytes());
    for (MemorySegment memory : new MemorySegment[] {HEAP, OUTSIDE}) {
      memory.fill(BESIDE).asSlice(GUARD, SIZE).fill((byte) 0);
    }
    Connection connection = new Connection(CHANNEL, null, Connection.State.OPEN, OWNER);
    Incoming incoming = new Incoming(bytes, piece);
    OUTCOME.bytes.clear();
    try {
      while (connection.reader().read(incoming) > 0 || canAnswer(connection)) {
        while (connection.writer().write(OUTCOME)) {
          // There is more.
        }
        check(OUTCOME.makesSense(), "nonsense is sent", bytes);
        if (canAnswer(connection)) {
          connection.reader().resume(null);
        }
      }
    } catch (ProtocolException refused) {
      // As it must be, for most of what comes.
    } finally {
      connection.reader().close();
      connection.writer().close(new Operations<>(), Errno.ECONNRESET, "the input has ended");
    }
    for (MemorySegment memory : new MemorySegment[] {HEAP, OUTSIDE}) {
      check(
          BESIDES.mismatch(memory.asSlice(0, GUARD)) == -1
              && BESIDES.mismatch(memory.asSlice(GUARD + SIZE)) == -1,
          "written beside a region",
          bytes);
    }
  }

  /** Whether a read request is held up, and there is room for its answer again. */
  private static boolean canAnswer(Connection connection) {
    return connection.reader().shortage() == Shortage.ANSWERS
        && connection.writer().answers() < TcpLimits.ANSWERS;
  }

  /** What would be read or written beside a region shows, unless it is written as it is. */
  private static byte[] withoutGuards(byte[] bytes) {
    return has(bytes, 0, bytes.length)
        ? new String(bytes, ISO_8859_1).replace((char) BESIDE, '\0').getBytes(ISO_8859_1)
        : bytes;
  }

  /** Whether bytes come from beside a region. The JDK looks for that faster than a loop of ours. */
  private static boolean has(byte[] bytes, int from, int count) {
    return new String(bytes, from, count, ISO_8859_1).indexOf(BESIDE) >= 0;
  }

  private static void check(boolean holds, Object outcome, byte[] bytes) {
    if (!holds) {
      throw new AssertionError(Arrays.toString(bytes) + " -> " + outcome);
    }
  }
}
