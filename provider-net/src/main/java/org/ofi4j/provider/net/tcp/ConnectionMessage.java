package org.ofi4j.provider.net.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What two endpoints tell each other when they connect.
 *
 * <pre>
 *   offset 0  u8 version 3 | u8 type | u16 length of data, big-endian | u32 0
 *   offset 8  u64 0 | u64 0
 *   offset 24 u64 1 in the byte order of the sender's frames; 0 in a refusal
 *   offset 32 data: u8 version | u8 features | u16 port, big-endian | u32 incarnation, big-endian
 *   offset 40 extension block, up to 248 bytes
 * </pre>
 *
 * <p>The port is the one that the sender listens on: with the address that the connection comes
 * from it says who the sender is. The incarnation tells one life of that endpoint from another; C
 * programs put their process id there.
 *
 * <p>A scratch object for one thread at a time.
 */
final class ConnectionMessage {
  /** What a message is. */
  enum Type {
    REQUEST(0),
    RESPONSE(1),
    REFUSAL(6);

    private final int number;

    Type(int number) {
      this.number = number;
    }
  }

  static final int HEADER = 32;
  static final int ENDPOINT_DATA = 8;
  static final int MAX_DATA = 256;

  /** The longest message. */
  static final int MAX_SIZE = HEADER + MAX_DATA;

  /**
   * The version of endpoint data that is asked for. Version 1 would have newer C peers offer large
   * messages in three steps.
   */
  static final int VERSION = 0;

  /** Feature: no connection to the sender can be opened. */
  static final int FIREWALLED = 1;

  private static final int PROTOCOL = 3;
  private static final int TYPE = 1;
  private static final int LENGTH = 2;
  private static final int ORDER = 24;
  private static final int FEATURES = HEADER + 1;
  private static final int PORT = HEADER + 2;
  private static final int INCARNATION = HEADER + 4;

  private Type type = Type.REFUSAL;
  private ByteOrder order = ByteOrder.nativeOrder();
  private int version;
  private int features;
  private int port;
  private int incarnation;
  private int length;

  /** Becomes a message of an endpoint. */
  void set(Type kind, int dataVersion, int dataFeatures, int ownPort, int ownIncarnation) {
    type = kind;
    order = ByteOrder.nativeOrder();
    version = dataVersion;
    features = dataFeatures;
    port = ownPort;
    incarnation = ownIncarnation;
  }

  /** Becomes the answer to a request: the same data, with another incarnation. */
  void answer(ConnectionMessage request, Type kind, int ownIncarnation) {
    set(kind, request.version, request.features, request.port, ownIncarnation);
  }

  /** Writes the message, to be sent in one piece. */
  void encode(ByteBuffer into) {
    int start = into.position();
    into.order(ByteOrder.BIG_ENDIAN);
    into.put((byte) PROTOCOL).put((byte) type.number).putShort((short) ENDPOINT_DATA).putInt(0);
    into.putLong(0).putLong(0).putLong(0);
    into.put((byte) version).put((byte) features).putShort((short) port).putInt(incarnation);
    if (type != Type.REFUSAL) {
      into.order(order).putLong(start + ORDER, 1);
    }
  }

  /**
   * How long the message is that begins in a buffer.
   *
   * @return its length, {@link #HEADER} if that is not known yet; -1 if it is none
   */
  static int size(ByteBuffer from, int received) {
    if (received > 0 && from.get(0) != PROTOCOL) {
      return -1;
    }
    if (received < HEADER) {
      return HEADER;
    }
    int data = Short.toUnsignedInt(from.order(ByteOrder.BIG_ENDIAN).getShort(LENGTH));
    return data > MAX_DATA ? -1 : HEADER + data;
  }

  /** Reads a whole message; false if it is none of an endpoint. */
  boolean decode(ByteBuffer from, int size) {
    Type found = null;
    for (Type each : Type.values()) {
      if (each.number == from.get(TYPE)) {
        found = each;
      }
    }
    if (found == null) {
      return false;
    }
    type = found;
    length = size;
    order =
        from.order(ByteOrder.nativeOrder()).getLong(ORDER) == 1
            ? ByteOrder.nativeOrder()
            : ByteOrder.BIG_ENDIAN;
    if (size < HEADER + ENDPOINT_DATA) {
      version = 0;
      features = 0;
      port = 0;
      incarnation = 0;
      // A refusal need not say anything.
      return found == Type.REFUSAL;
    }
    from.order(ByteOrder.BIG_ENDIAN);
    version = Byte.toUnsignedInt(from.get(HEADER));
    features = Byte.toUnsignedInt(from.get(FEATURES));
    port = Short.toUnsignedInt(from.getShort(PORT));
    incarnation = from.getInt(INCARNATION);
    return true;
  }

  Type type() {
    return type;
  }

  /** The byte order of all frames of the connection: native, unless the two sides differ. */
  ByteOrder order() {
    return order;
  }

  boolean isFirewalled() {
    return (features & FIREWALLED) != 0;
  }

  int port() {
    return port;
  }

  int incarnation() {
    return incarnation;
  }

  /** Bytes of the extension block. */
  int extensionLength() {
    return Math.max(0, length - HEADER - ENDPOINT_DATA);
  }
}
