// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What two endpoints tell each other when they connect.
 *
 * <pre>
 *   offset 0  u8 version 3 | u8 type | u16 length of data, big-endian | u32 0
 *   offset 8  u64 0 | u64 0
 *   offset 24 u64 1 in the byte order of the sender's frames; 0 in a refusal
 *   offset 32 data, up to 256 bytes
 * </pre>
 *
 * <p>Between endpoints that connect when they have to, the data is theirs:
 *
 * <pre>
 *   offset 32 u8 version | u8 features | u16 port, big-endian | u32 incarnation, big-endian
 *   offset 40 {@link ExtensionBlock}, up to 248 bytes
 * </pre>
 *
 * <p>Where applications connect, the data is the applications'. One such application is libfabric's
 * {@code ofi_rxm}, which makes reliable endpoints of connected ones, with packets of its own. Its
 * request and its refusal are told by their length from all others that come to an endpoint:
 *
 * <pre>
 *   offset 32 u8 version 1 | u8 byte order | u8 control version | u8 operation version
 *   offset 36 u16 port | u8 flow control | u8 index | u32 eager limit | u32 queue size | u64 id
 *
 *   offset 32 u8 version 1 | u8 reason: 1 refused
 * </pre>
 *
 * <p>The port is the one that the sender listens on: with the address that the connection comes
 * from it says who the sender is. The incarnation tells one life of that endpoint from another; C
 * programs put their process id there.
 *
 * <p>A scratch object, or what has come of one message; for one thread at a time.
 */
public final class ConnectionMessage {
  /** What proves that the sender holds a key. */
  public interface Proof {
    /** Puts the proof into the place that a message has for it. */
    void seal(ByteBuffer message) throws IOException;
  }

  /** What a message is. */
  public enum Type {
    REQUEST(0),
    RESPONSE(1),
    REFUSAL(6),
    /** Of ours, like the next one: between endpoints with authorization keys. */
    CHALLENGE(7),
    CONFIRMATION(8);

    private final int number;

    Type(int number) {
      this.number = number;
    }
  }

  public static final int HEADER = 32;
  public static final int ENDPOINT_DATA = 8;
  public static final int MAX_DATA = 256;

  /** The longest message. */
  public static final int MAX_SIZE = HEADER + MAX_DATA;

  /** The version of endpoint data that is asked for: large messages may be announced. */
  public static final int VERSION = 1;

  /** Set in the version of a response if the sender has looked at that of the request. */
  private static final int CONSIDERED = 0x80;

  /** Feature: no connection to the sender can be opened. */
  static final int FIREWALLED = 1;

  private static final int PROTOCOL = 3;

  // How a record of TLS begins.
  private static final int FIRST_OF_TLS = 20;
  private static final int LAST_OF_TLS = 24;
  private static final int VERSION_OF_TLS = 3;

  private static final int TYPE = 1;
  private static final int LENGTH = 2;
  private static final int ORDER = 24;

  // In the data of endpoints.
  private static final int FEATURES = HEADER + 1;
  private static final int PORT = HEADER + 2;
  private static final int INCARNATION = HEADER + 4;
  private static final int EXTENSION = HEADER + ENDPOINT_DATA;

  // In the data of ofi_rxm.
  private static final int RXM_REQUEST = 24;
  private static final byte[] RXM_REFUSAL = {1, 1};

  // The message up to the position, from its first byte; big-endian.
  private final ByteBuffer bytes = ByteBuffer.allocate(MAX_SIZE);
  private Type type = Type.REFUSAL;

  /** Becomes a message of an endpoint. */
  public void set(Type kind, int version, int features, int port, int incarnation) {
    become(kind, ENDPOINT_DATA);
    bytes.put(HEADER, (byte) version).put(FEATURES, (byte) features);
    bytes.putShort(PORT, (short) port).putInt(INCARNATION, incarnation);
  }

  public void add(ExtensionBlock block) {
    block.encode(bytes, EXTENSION);
    length(ENDPOINT_DATA + block.size());
  }

  /** Becomes a message of an application. */
  public void set(Type kind, byte[] content) {
    become(kind, content.length);
    bytes.put(HEADER, content);
  }

  /** Becomes a refusal that {@code ofi_rxm} understands. */
  public void refuseRxm() {
    set(Type.REFUSAL, RXM_REFUSAL);
  }

  private void become(Type kind, int dataLength) {
    type = kind;
    bytes.clear().put((byte) PROTOCOL).put((byte) kind.number).putShort((short) 0).putInt(0);
    bytes.putLong(0).putLong(0);
    bytes.order(ByteOrder.nativeOrder()).putLong(kind == Type.REFUSAL ? 0 : 1);
    bytes.order(ByteOrder.BIG_ENDIAN);
    length(dataLength);
  }

  private void length(int ofData) {
    bytes.putShort(LENGTH, (short) ofData).position(HEADER + ofData);
  }

  /** Becomes the answer to a request: the same data, with another incarnation. */
  public void answer(ConnectionMessage request, Type kind, int ownIncarnation) {
    int dataVersion = request.version();
    if (kind != Type.REFUSAL && dataVersion != 0) {
      dataVersion = Math.min(dataVersion, VERSION) | CONSIDERED;
    }
    set(kind, dataVersion, request.features(), request.port(), ownIncarnation);
  }

  /** Whether large messages may be announced, as far as this request or response says. */
  public boolean isAnnouncing() {
    // Older C programs give back what they were asked for, without having looked at it.
    return type == Type.REQUEST ? version() >= VERSION : version() == (VERSION | CONSIDERED);
  }

  /** Sends the message, in one piece as C peers want it. */
  public void writeTo(WritableByteChannel channel) throws IOException {
    writeTo(channel, null);
  }

  /**
   * Sends the message with a proof at its end.
   *
   * @param proof proves that we hold a key; null for a message without proof
   */
  public void writeTo(WritableByteChannel channel, @Nullable Proof proof) throws IOException {
    ByteBuffer out = bytes();
    if (proof != null) {
      proof.seal(out);
    }
    channel.write(out);
    if (out.hasRemaining()) {
      throw new IOException("the network did not take a whole connection message");
    }
  }

  /** Another message is to be read. */
  public void clear() {
    bytes.clear();
  }

  /**
   * Reads on in a message, and nothing behind it.
   *
   * @param accepted whether the other side has opened the connection
   * @return whether the message is there as a whole
   * @throws IOException if it is none, or the connection has ended
   */
  public boolean read(ReadableByteChannel in, boolean accepted) throws IOException {
    while (true) {
      int size = expectedSize();
      if (size < 0) {
        throw stranger(accepted);
      }
      if (bytes.position() == size) {
        type = kind(bytes.get(TYPE));
        return true;
      }
      if (in.read(bytes.limit(size)) < 0) {
        throw new EOFException("the connection was closed before it was open");
      }
      if (bytes.hasRemaining() && expectedSize() >= 0) {
        return false;
      }
    }
  }

  /** Returns how long the message is, {@link #HEADER} if that is not known; -1 if it is none. */
  private int expectedSize() {
    if (bytes.position() > 0 && bytes.get(0) != PROTOCOL) {
      return -1;
    }
    if (bytes.position() < HEADER) {
      return HEADER;
    }
    int dataLength = Short.toUnsignedInt(bytes.getShort(LENGTH));
    return dataLength > MAX_DATA ? -1 : HEADER + dataLength;
  }

  /** Returns what is wrong with bytes that begin no message. */
  private IOException stranger(boolean accepted) {
    boolean isTls =
        bytes.get(0) >= FIRST_OF_TLS
            && bytes.get(0) <= LAST_OF_TLS
            && (bytes.position() == 1 || bytes.get(1) == VERSION_OF_TLS);
    if (!isTls) {
      return new ProtocolException("what came is no connection message");
    }
    String words = "the peer wants TLS, and this endpoint has none: secure both or neither";
    return accepted ? new ProtocolException(words) : new SSLException(words);
  }

  private static Type kind(byte number) throws ProtocolException {
    for (Type each : Type.values()) {
      if (each.number == number) {
        return each;
      }
    }
    throw new ProtocolException("a connection message is of no known kind");
  }

  public Type type() {
    return type;
  }

  /** The byte order of all frames of the connection: native, unless the two sides differ. */
  public ByteOrder order() {
    return bytes.duplicate().order(ByteOrder.nativeOrder()).getLong(ORDER) == 1
        ? ByteOrder.nativeOrder()
        : ByteOrder.BIG_ENDIAN;
  }

  /** Returns a view of the whole message. */
  public ByteBuffer bytes() {
    return bytes.duplicate().flip();
  }

  public byte[] data() {
    byte[] data = new byte[length()];
    bytes.get(HEADER, data);
    return data;
  }

  /** Returns the length of the data. */
  public int length() {
    return bytes.position() - HEADER;
  }

  /** Whether it is a request of {@code ofi_rxm}, whose frames have another content. */
  public boolean isRequestOfRxm() {
    return type == Type.REQUEST && length() == RXM_REQUEST && bytes.get(HEADER) == 1;
  }

  public boolean isRefusalOfRxm() {
    return type == Type.REFUSAL && length() == RXM_REFUSAL.length && bytes.get(HEADER) == 1;
  }

  /** Whether it says what endpoints say of themselves; without, all of that is 0. */
  public boolean isOfEndpoint() {
    return length() >= ENDPOINT_DATA;
  }

  private int version() {
    return isOfEndpoint() ? Byte.toUnsignedInt(bytes.get(HEADER)) : 0;
  }

  private int features() {
    return isOfEndpoint() ? Byte.toUnsignedInt(bytes.get(FEATURES)) : 0;
  }

  public boolean isFirewalled() {
    return (features() & FIREWALLED) != 0;
  }

  public int port() {
    return isOfEndpoint() ? Short.toUnsignedInt(bytes.getShort(PORT)) : 0;
  }

  public int incarnation() {
    return isOfEndpoint() ? bytes.getInt(INCARNATION) : 0;
  }

  /**
   * What endpoints say of themselves beyond libfabric's protocol; null if they say nothing.
   *
   * @throws ProtocolException if they say it wrongly
   */
  public @Nullable ExtensionBlock extension() throws ProtocolException {
    return isOfEndpoint()
        ? ExtensionBlock.decode(bytes, EXTENSION, length() - ENDPOINT_DATA)
        : null;
  }
}
