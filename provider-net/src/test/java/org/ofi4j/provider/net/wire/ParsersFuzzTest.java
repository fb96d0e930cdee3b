// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.tcp.RecordedFrames;

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
  private static final Agreement AGREED =
      Agreement.of(ExtensionBlock.of(1000, 4), ExtensionBlock.of(10, 1), Agreement.NONE);

  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void header(FuzzedDataProvider data) {
    int choice = data.consumeByte();
    ByteOrder order = (choice & 1) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    boolean words = (choice & 2) != 0;
    byte[] rest = data.consumeRemainingAsBytes();
    // What stands behind the longest header is not looked at.
    byte[] bytes = Arrays.copyOf(rest, Math.min(rest.length, FrameHeader.MAX + 8));
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(order);
    FrameHeader header = new FrameHeader();
    int size = header.decode(buffer, 0, bytes.length, words);
    boolean known = false;
    for (int length = 0; length < bytes.length; length++) {
      // A piece of it is never taken for something else.
      byte[] piece = Arrays.copyOf(bytes, length);
      int partly = new FrameHeader().decode(ByteBuffer.wrap(piece).order(order), 0, length, words);
      if (size >= 0) {
        boolean undecided = length < FrameHeader.BASE || length < size || size == 0;
        check(partly == (undecided ? 0 : size), length + " bytes: " + partly, bytes);
      } else {
        // What is wrong may stand behind the piece; once seen, it stays wrong.
        check(partly == size || (partly == 0 && !known), length + " bytes: " + partly, bytes);
        known |= partly == size;
      }
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
    FrameFields fields = new FrameFields();
    fields.flags = header.flags();
    fields.data = header.data();
    fields.tag = header.tag();
    fields.word = header.word();
    FrameHeader.encode(out, header.operation(), 0, 0, header.payload(), 0, fields);
    FrameHeader again = new FrameHeader();
    int size = again.decode(out, 0, out.position(), true);
    check(size == out.position(), size, bytes);
    check(
        again.operation() == header.operation()
            && again.flags() == header.flags()
            && again.payload() == header.payload()
            && again.data() == header.data()
            && again.tag() == header.tag()
            && again.word() == header.word(),
        "another header",
        bytes);
  }

  /** What comes is the same, in whatever pieces. */
  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void frames(FuzzedDataProvider data) {
    int choice = data.consumeByte();
    ByteOrder order = (choice & 1) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    Agreement agreed = (choice & 2) != 0 ? AGREED : Agreement.NONE;
    int[] ends = data.consumeInts(data.consumeInt(1, 8));
    byte[] bytes = data.consumeRemainingAsBytes();
    for (int i = 0; i < ends.length; i++) {
      ends[i] = Math.floorMod(ends[i], bytes.length + 1);
    }
    Arrays.sort(ends);
    List<String> whole = RecordedFrames.of(bytes, order, agreed);
    List<String> inPieces = RecordedFrames.of(bytes, order, agreed, ends);
    check(whole.equals(inPieces), whole + ", in pieces " + inPieces, bytes);
  }

  /** A channel over which one byte comes at a time. */
  private static final class Drip implements ReadableByteChannel {
    private final byte[] bytes;
    private int at;

    Drip(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer into) {
      if (at == bytes.length) {
        return -1;
      }
      into.put(bytes[at++]);
      return 1;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** Reads a message of which one byte comes at a time; null if the bytes are none. */
  private static @Nullable ConnectionMessage message(byte[] bytes) {
    Drip channel = new Drip(bytes);
    ConnectionMessage message = new ConnectionMessage();
    try {
      while (!message.read(channel, true)) {
        check(message.bytes().limit() == channel.at, "other bytes", bytes);
      }
      return message;
    } catch (IOException refused) {
      return null;
    }
  }

  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void connectionMessage(FuzzedDataProvider data) throws IOException {
    byte[] bytes = data.consumeRemainingAsBytes();
    ConnectionMessage message = message(bytes);
    if (message != null) {
      ByteBuffer whole = message.bytes();
      check(whole.limit() >= ConnectionMessage.HEADER, whole.limit(), bytes);
      check(whole.limit() <= ConnectionMessage.MAX_SIZE, whole.limit(), bytes);
      check(whole.equals(ByteBuffer.wrap(bytes, 0, whole.limit())), "other bytes", bytes);
      answered(message, bytes);
    }
  }

  private static void answered(ConnectionMessage request, byte[] bytes) throws IOException {
    ConnectionMessage answer = new ConnectionMessage();
    answer.answer(request, ConnectionMessage.Type.RESPONSE, 42);
    ExtensionBlock block = extension(request);
    if (block != null) {
      answer.add(block);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    answer.writeTo(Channels.newChannel(out));
    ConnectionMessage read = message(out.toByteArray());
    check(
        read != null
            && read.type() == ConnectionMessage.Type.RESPONSE
            && read.incarnation() == 42
            && read.port() == request.port()
            && read.isFirewalled() == request.isFirewalled()
            && read.order().equals(ByteOrder.nativeOrder())
            && same(extension(read), block),
        "another answer",
        bytes);
  }

  private static @Nullable ExtensionBlock extension(ConnectionMessage message) {
    try {
      return message.extension();
    } catch (ProtocolException malformed) {
      return null;
    }
  }

  /** Any bytes as extension block: read for what they say, or refused, and never read beyond. */
  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void extensionBlock(FuzzedDataProvider data) {
    boolean begun = data.consumeBoolean();
    byte[] rest = data.consumeRemainingAsBytes();
    // Nobody finds the four bytes by chance.
    byte[] bytes = begun ? concatenated(new byte[] {'O', 'F', 'I', '4'}, rest) : rest;
    bytes = Arrays.copyOf(bytes, Math.min(bytes.length, ExtensionBlock.MAX_SIZE));
    byte[] framed = concatenated(new byte[] {1}, bytes, new byte[] {2});
    ExtensionBlock block;
    try {
      block = ExtensionBlock.decode(ByteBuffer.wrap(framed), 1, bytes.length);
    } catch (ProtocolException malformed) {
      check(begunBlock(bytes) && !isWhole(bytes), "refused", bytes);
      return;
    }
    check(
        (block != null) == (isWhole(bytes) && bytes[4] == 1), "a block: " + (block != null), bytes);
    if (block != null) {
      check(block.maxGroup() >= 0 && block.receiveContexts() > 0, "numbers", bytes);
      check(block.size() <= bytes.length, "longer than what came", bytes);
      ByteBuffer out = ByteBuffer.allocate(block.size());
      block.encode(out, 0);
      check(same(decoded(out), block), "another block", bytes);
    }
  }

  private static boolean begunBlock(byte[] bytes) {
    return bytes.length >= 4 && ByteBuffer.wrap(bytes).getInt(0) == 0x4F464934;
  }

  /** What the description says of a block that is to be taken or answered with none. */
  private static boolean isWhole(byte[] bytes) {
    if (!begunBlock(bytes) || bytes.length < 8) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int size = Short.toUnsignedInt(buffer.getShort(6));
    boolean beats = bytes.length >= 12 && (buffer.getInt(8) & ExtensionBlock.HEARTBEATS) != 0;
    int shortest = beats ? 22 : 20;
    return Byte.toUnsignedInt(bytes[4]) > 1
        || (bytes[4] == 1 && size >= shortest && size <= bytes.length && buffer.getShort(16) != 0);
  }

  private static ExtensionBlock decoded(ByteBuffer bytes) {
    try {
      return ExtensionBlock.decode(bytes, 0, bytes.capacity());
    } catch (ProtocolException malformed) {
      throw new AssertionError(malformed);
    }
  }

  private static boolean same(@Nullable ExtensionBlock one, @Nullable ExtensionBlock other) {
    return one == null
        ? other == null
        : other != null
            && one.maxGroup() == other.maxGroup()
            && one.receiveContexts() == other.receiveContexts()
            && one.has(ExtensionBlock.DELIVERY_WORDS) == other.has(ExtensionBlock.DELIVERY_WORDS)
            && one.has(ExtensionBlock.AUTHORIZATION_KEY)
                == other.has(ExtensionBlock.AUTHORIZATION_KEY)
            && one.has(ExtensionBlock.EARLY_ROOM) == other.has(ExtensionBlock.EARLY_ROOM)
            && one.room() == other.room()
            && one.has(ExtensionBlock.HEARTBEATS) == other.has(ExtensionBlock.HEARTBEATS)
            && one.heartbeat() == other.heartbeat()
            && one.has(ExtensionBlock.IDLE_CLOSING) == other.has(ExtensionBlock.IDLE_CLOSING)
            && Arrays.equals(one.keyPart(), other.keyPart());
  }

  private static byte[] concatenated(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void check(boolean holds, Object outcome, byte[] bytes) {
    if (!holds) {
      throw new AssertionError(Arrays.toString(bytes) + " -> " + outcome);
    }
  }
}
