package org.ofi4j.provider.net.tcp;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Any bytes as headers of frames, as frames and as connection messages: they are taken for what
 * they are, or refused, however they are cut into pieces. Every build replays the inputs that are
 * kept in {@code ParsersFuzzTestInputs}; to look for new ones, ten million executions of each,
 *
 * <pre>
 *   JAZZER_FUZZ=1 mvn -pl provider-net -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dofi4j.test.args=-Djunit.jupiter.execution.timeout.mode=disabled \
 *       -Dtest=ParsersFuzzTest#header
 * </pre>
 */
class ParsersFuzzTest {
  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void header(FuzzedDataProvider data) {
    ByteOrder order = data.consumeBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    byte[] bytes = data.consumeRemainingAsBytes();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(order);
    FrameHeader header = new FrameHeader();
    int size = header.decode(buffer, 0, bytes.length);
    for (int length = 0; length < bytes.length; length++) {
      // A piece of it is never taken for something else.
      byte[] piece = Arrays.copyOf(bytes, length);
      int partly = new FrameHeader().decode(ByteBuffer.wrap(piece).order(order), 0, length);
      boolean undecided = length < FrameHeader.BASE || (size >= 0 && length < size) || size == 0;
      check(partly == (undecided ? 0 : size), length + " bytes: " + partly, bytes);
    }
    if (size > 0) {
      check(size <= FrameHeader.MAX && size <= bytes.length, size, bytes);
      check(header.payload() >= 0 && header.payload() <= TcpLimits.MAX_MESSAGE, "length", bytes);
      if (header.operation() <= FrameHeader.TAGGED && !header.isAcknowledgement()) {
        encodedAgain(header, order, bytes);
      }
    }
  }

  private static void encodedAgain(FrameHeader header, ByteOrder order, byte[] bytes) {
    ByteBuffer out = ByteBuffer.allocate(FrameHeader.MAX).order(order);
    FrameHeader.encodeMessage(
        out, header.operation(), header.flags(), 0, header.payload(), header.data(), header.tag());
    FrameHeader again = new FrameHeader();
    int size = again.decode(out, 0, out.position());
    check(size == out.position(), size, bytes);
    check(
        again.operation() == header.operation()
            && again.flags() == header.flags()
            && again.payload() == header.payload()
            && again.data() == header.data()
            && again.tag() == header.tag(),
        "another header",
        bytes);
  }

  /** What comes is the same, in whatever pieces. */
  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void frames(FuzzedDataProvider data) {
    ByteOrder order = data.consumeBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    int[] ends = data.consumeInts(data.consumeInt(1, 8));
    byte[] bytes = data.consumeRemainingAsBytes();
    for (int i = 0; i < ends.length; i++) {
      ends[i] = Math.floorMod(ends[i], bytes.length + 1);
    }
    Arrays.sort(ends);
    List<String> whole = RecordedFrames.of(bytes, order);
    List<String> inPieces = RecordedFrames.of(bytes, order, ends);
    check(whole.equals(inPieces), whole + ", in pieces " + inPieces, bytes);
  }

  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void connectionMessage(FuzzedDataProvider data) {
    byte[] bytes = data.consumeRemainingAsBytes();
    ByteBuffer buffer = ByteBuffer.wrap(Arrays.copyOf(bytes, ConnectionMessage.MAX_SIZE));
    int size = ConnectionMessage.HEADER;
    for (int received = 0; received <= bytes.length; received++) {
      // As a connection does: it asks again with each byte.
      size = ConnectionMessage.size(buffer, received);
      check(size == -1 || size >= ConnectionMessage.HEADER, size, bytes);
      check(size <= ConnectionMessage.MAX_SIZE, size, bytes);
      if (size == -1 || size == received) {
        break;
      }
    }
    ConnectionMessage message = new ConnectionMessage();
    if (size > 0 && size <= bytes.length && message.decode(buffer, size)) {
      check(message.extensionLength() >= 0 && message.extensionLength() <= size, "block", bytes);
      answered(message, bytes);
    }
  }

  private static void answered(ConnectionMessage request, byte[] bytes) {
    ConnectionMessage answer = new ConnectionMessage();
    answer.answer(request, ConnectionMessage.Type.RESPONSE, 42);
    ByteBuffer out = ByteBuffer.allocate(ConnectionMessage.MAX_SIZE);
    answer.encode(out);
    ConnectionMessage read = new ConnectionMessage();
    int size = ConnectionMessage.size(out, out.position());
    check(size == out.position() && read.decode(out, size), "unreadable answer", bytes);
    check(
        read.type() == ConnectionMessage.Type.RESPONSE
            && read.incarnation() == 42
            && read.port() == request.port()
            && read.isFirewalled() == request.isFirewalled()
            && read.order().equals(ByteOrder.nativeOrder()),
        "another answer",
        bytes);
  }

  private static void check(boolean holds, Object outcome, byte[] bytes) {
    if (!holds) {
      throw new AssertionError(Arrays.toString(bytes) + " -> " + outcome);
    }
  }
}
