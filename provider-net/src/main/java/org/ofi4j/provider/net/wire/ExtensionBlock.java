// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint says of itself that libfabric's protocol has no place for: behind the endpoint
 * data of a {@link ConnectionMessage}, all numbers big-endian.
 *
 * <pre>
 *   offset 0  u32 magic "OFI4" | u8 extension version 1 | u8 0 | u16 bytes of the whole block
 *   offset 8  u32 features
 *   offset 12 u32 highest peer group, 0 for none
 *   offset 16 u16 receive contexts
 *   offset 18 u16 with {@link #EARLY_ROOM}: room for messages that come early, in 64 KiB; else 0
 *   offset 20 with {@link #HEARTBEATS}: u16 milliseconds in which the sender wants to hear something
 *   then      with {@link #SHARED_MEMORY}: u64 identity of the host
 *   then      with {@link #AUTHORIZATION_KEY}: the key part
 * </pre>
 *
 * <p>Immutable.
 *
 * @param features of the sender, as bits
 * @param maxGroup the highest peer group that the sender takes, 0 if it has none
 * @param receiveContexts how many receive contexts the sender has
 * @param roomUnits how much may come early, in 64 KiB; without the feature nothing is said
 * @param heartbeat in how many milliseconds the sender wants to hear something; 0 for nothing
 * @param host identity of the sender's host; 0 without the feature
 * @param keyPart empty without the feature
 */
public record ExtensionBlock(
    int features,
    int maxGroup,
    int receiveContexts,
    int roomUnits,
    int heartbeat,
    long host,
    byte[] keyPart) {
  /** Without what only a feature adds. */
  static final int FIXED = 20;

  /** The longest block that a connection message has room for. */
  static final int MAX_SIZE = ConnectionMessage.MAX_DATA - ConnectionMessage.ENDPOINT_DATA;

  /** Feature: frames may carry delivery words. */
  static final int DELIVERY_WORDS = 1;

  /** Feature: the key part is there. */
  public static final int AUTHORIZATION_KEY = 2;

  /**
   * Feature: the endpoint says how much room it has for messages that come early, and later how
   * much more.
   */
  static final int EARLY_ROOM = 4;

  private static final int ROOM_UNIT = 1 << 16;
  private static final int MOST_ROOM = (1 << 16) - 1;

  /** Feature: heartbeats are understood, and those that the sender wants are said. */
  static final int HEARTBEATS = 8;

  /** Feature: the sender knows how connections are closed that nobody needs. */
  static final int IDLE_CLOSING = 16;

  /** Feature: a peer on the same host can share memory with the sender. */
  static final int SHARED_MEMORY = 32;

  /** The longest time in which a sender can want to hear something, in milliseconds. */
  public static final int MAX_HEARTBEAT = 0xFFFF;

  private static final int MAGIC = 0x4F46_4934;
  private static final int VERSION = 1;
  private static final byte[] NO_KEY_PART = {};

  private static final int VERSION_AT = 4;
  private static final int SIZE_AT = 6;
  private static final int FEATURES_AT = 8;
  private static final int GROUP_AT = 12;
  private static final int CONTEXTS_AT = 16;
  private static final int ROOM_AT = 18;
  private static final int HEARTBEAT_AT = FIXED;

  /** Keeps a copy of the key part, which has to fit. */
  public ExtensionBlock {
    if (keyPart.length > MAX_SIZE - keyPartAt(features)) {
      throw new IllegalArgumentException("a key part of " + keyPart.length + " bytes");
    }
    keyPart = keyPart.clone();
  }

  /**
   * What an endpoint says that takes delivery words.
   *
   * @param maxGroup the highest peer group that it takes, 0 if it has none
   * @param receiveContexts how many receive contexts it has, at least 1
   */
  public static ExtensionBlock of(int maxGroup, int receiveContexts) {
    return new ExtensionBlock(DELIVERY_WORDS, maxGroup, receiveContexts, 0, 0, 0, NO_KEY_PART);
  }

  /** Returns whether another block says the same, apart from keys. */
  boolean saysAs(ExtensionBlock other) {
    return features == other.features
        && maxGroup == other.maxGroup
        && receiveContexts == other.receiveContexts
        && roomUnits == other.roomUnits
        && heartbeat == other.heartbeat
        && host == other.host;
  }

  /**
   * The same with room for messages that come early.
   *
   * @param bytes how much there is for one peer; no more is said than there is
   */
  public ExtensionBlock withRoom(long bytes) {
    int units = (int) Math.min(bytes / ROOM_UNIT, MOST_ROOM);
    return new ExtensionBlock(
        features | EARLY_ROOM, maxGroup, receiveContexts, units, heartbeat, host, keyPart);
  }

  /**
   * The same with heartbeats.
   *
   * @param milliseconds in which the endpoint wants to hear something, from 1 to {@link
   *     #MAX_HEARTBEAT}
   */
  public ExtensionBlock withHeartbeats(int milliseconds) {
    return new ExtensionBlock(
        features | HEARTBEATS, maxGroup, receiveContexts, roomUnits, milliseconds, host, keyPart);
  }

  /** The same with the closing of connections that nobody needs. */
  public ExtensionBlock withIdleClosing() {
    return new ExtensionBlock(
        features | IDLE_CLOSING, maxGroup, receiveContexts, roomUnits, heartbeat, host, keyPart);
  }

  /**
   * The same with the host, for peers that can share memory with the endpoint.
   *
   * @param identity the host; 0 to leave the block as it is
   */
  public ExtensionBlock withHost(long identity) {
    return identity == 0
        ? this
        : new ExtensionBlock(
            features | SHARED_MEMORY,
            maxGroup,
            receiveContexts,
            roomUnits,
            heartbeat,
            identity,
            keyPart);
  }

  public ExtensionBlock withKeyPart(byte[] part) {
    return new ExtensionBlock(
        features | AUTHORIZATION_KEY, maxGroup, receiveContexts, roomUnits, heartbeat, host, part);
  }

  private static int hostAt(int features) {
    return (features & HEARTBEATS) == 0 ? FIXED : HEARTBEAT_AT + Short.BYTES;
  }

  private static int keyPartAt(int features) {
    return hostAt(features) + ((features & SHARED_MEMORY) == 0 ? 0 : Long.BYTES);
  }

  public int size() {
    return keyPartAt(features) + keyPart.length;
  }

  void encode(ByteBuffer into, int at) {
    into.order(ByteOrder.BIG_ENDIAN);
    into.putInt(at, MAGIC).put(at + VERSION_AT, (byte) VERSION).put(at + VERSION_AT + 1, (byte) 0);
    into.putShort(at + SIZE_AT, (short) size());
    into.putInt(at + FEATURES_AT, features).putInt(at + GROUP_AT, maxGroup);
    into.putShort(at + CONTEXTS_AT, (short) receiveContexts);
    into.putShort(at + ROOM_AT, (short) roomUnits);
    if (has(HEARTBEATS)) {
      into.putShort(at + HEARTBEAT_AT, (short) heartbeat);
    }
    if (has(SHARED_MEMORY)) {
      into.putLong(at + hostAt(features), host);
    }
    into.put(at + keyPartAt(features), keyPart);
  }

  /**
   * Reads what stands behind the data of an endpoint.
   *
   * @param length how many bytes there are
   * @return the block; null if there is none, or one of a later version
   * @throws ProtocolException if there is something that says to be a block and is none
   */
  static @Nullable ExtensionBlock decode(ByteBuffer from, int at, int length)
      throws ProtocolException {
    from.order(ByteOrder.BIG_ENDIAN);
    if (length < Integer.BYTES || from.getInt(at) != MAGIC) {
      return null;
    }
    if (length < FEATURES_AT) {
      throw malformed("ends before its size");
    }
    int version = Byte.toUnsignedInt(from.get(at + VERSION_AT));
    if (version > VERSION) {
      return null;
    }
    int size = Short.toUnsignedInt(from.getShort(at + SIZE_AT));
    if (version == 0 || size < FIXED || size > length) {
      throw malformed(
          "says to have version " + version + " and " + size + " of " + length + " bytes");
    }
    int contexts = Short.toUnsignedInt(from.getShort(at + CONTEXTS_AT));
    if (contexts == 0) {
      throw malformed("says that its sender has no receive context");
    }
    int features = from.getInt(at + FEATURES_AT);
    // Groups of ours are no larger.
    int group = from.getInt(at + GROUP_AT);
    int heartbeat = 0;
    int keyPartAt = keyPartAt(features);
    if (size < keyPartAt) {
      throw malformed("of " + size + " bytes ends before what its features add");
    }
    if ((features & HEARTBEATS) != 0) {
      heartbeat = Short.toUnsignedInt(from.getShort(at + HEARTBEAT_AT));
    }
    long host = (features & SHARED_MEMORY) == 0 ? 0 : from.getLong(at + hostAt(features));
    byte[] keyPart = NO_KEY_PART;
    if ((features & AUTHORIZATION_KEY) != 0) {
      keyPart = new byte[size - keyPartAt];
      from.get(at + keyPartAt, keyPart);
    }
    return new ExtensionBlock(
        features,
        group < 0 ? Integer.MAX_VALUE : group,
        contexts,
        Short.toUnsignedInt(from.getShort(at + ROOM_AT)),
        heartbeat,
        host,
        keyPart);
  }

  private static ProtocolException malformed(String how) {
    return new ProtocolException("an extension block " + how);
  }

  public boolean has(int feature) {
    return (features & feature) != 0;
  }

  /** How many bytes of messages may come early; without the feature nothing is said. */
  long room() {
    return (long) roomUnits * ROOM_UNIT;
  }

  /** A copy of the key part. */
  @Override
  public byte[] keyPart() {
    return keyPart.clone();
  }
}
