// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The messages of a key dialogue, written from their description alone and with nothing of what is
 * tested: for peers of plain sockets, who say what a test wants them to say.
 */
public final class KeyedScript {
  public static final int REQUEST = 0;
  public static final int RESPONSE = 1;
  static final int REFUSAL = 6;
  public static final int CHALLENGE = 7;
  public static final int CONFIRMATION = 8;

  private static final int HEADER = 32;
  private static final int ENDPOINT_DATA = 8;
  private static final int BLOCK = 20;

  private final byte[] key;
  private final byte[] addresses;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  public KeyedScript(byte[] key, InetSocketAddress requester, InetSocketAddress acceptor) {
    this.key = key.clone();
    addresses = ByteBuffer.allocate(36).put(address(requester)).put(address(acceptor)).array();
  }

  /** For the end of a connection that has opened it. */
  static KeyedScript requester(byte[] key, Socket socket) {
    return new KeyedScript(
        key,
        (InetSocketAddress) socket.getLocalSocketAddress(),
        (InetSocketAddress) socket.getRemoteSocketAddress());
  }

  /** For the end of a connection that has accepted it. */
  static KeyedScript acceptor(byte[] key, Socket socket) {
    return new KeyedScript(
        key,
        (InetSocketAddress) socket.getRemoteSocketAddress(),
        (InetSocketAddress) socket.getLocalSocketAddress());
  }

  private static byte[] address(InetSocketAddress of) {
    byte[] host = of.getAddress().getAddress();
    ByteBuffer bytes = ByteBuffer.allocate(18);
    if (host.length == 4) {
      bytes.position(10).putShort((short) 0xFFFF);
    }
    return bytes.put(host).putShort((short) of.getPort()).array();
  }

  /** A message of the dialogue with its proof; it is said then. */
  public byte[] message(int type, int version, int port, int life, byte[] nonce) {
    int tag = type == REQUEST ? 16 : 32;
    byte[] open = open(type, version, port, life, nonce, tag);
    byte[] whole = ByteBuffer.allocate(open.length + tag).put(open).put(tag(type, open)).array();
    said.writeBytes(whole);
    return whole;
  }

  /** A message up to its proof. */
  private static byte[] open(int type, int version, int port, int life, byte[] nonce, int tag) {
    int block = BLOCK + nonce.length + tag;
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + ENDPOINT_DATA + BLOCK + nonce.length);
    bytes.put((byte) 3).put((byte) type).putShort((short) (ENDPOINT_DATA + block));
    bytes.position(24).order(ByteOrder.LITTLE_ENDIAN).putLong(1).order(ByteOrder.BIG_ENDIAN);
    bytes.put((byte) version).put((byte) 0).putShort((short) port).putInt(life);
    bytes.put("OFI4".getBytes(StandardCharsets.US_ASCII)).put((byte) 1).put((byte) 0);
    bytes.putShort((short) block).putInt(3).putInt(0).putShort((short) 1).putShort((short) 0);
    return bytes.put(nonce).array();
  }

  private byte[] tag(int type, byte[] open) {
    String label =
        switch (type) {
          case REQUEST -> "ofi4j hint";
          case CHALLENGE -> "ofi4j accept";
          case CONFIRMATION -> "ofi4j connect";
          default -> "ofi4j open";
        };
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((label + "\0").getBytes(StandardCharsets.US_ASCII));
      if (type != REQUEST) {
        mac.update(addresses);
      }
      mac.update(said.toByteArray());
      return Arrays.copyOf(mac.doFinal(open), type == REQUEST ? 16 : 32);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Hears a message of the other side, and says whether its proof is good. */
  boolean hears(byte[] message) {
    int type = message[1];
    int tag = type == REQUEST ? 16 : 32;
    byte[] open = Arrays.copyOf(message, message.length - tag);
    byte[] its = Arrays.copyOfRange(message, message.length - tag, message.length);
    boolean good = Arrays.equals(its, tag(type, open));
    said.writeBytes(message);
    return good;
  }

  /** The next connection message, whatever it is. */
  static byte[] read(Socket socket) throws IOException {
    byte[] header = RawPeer.read(socket, HEADER);
    int length = ByteBuffer.wrap(header).getShort(2);
    byte[] data = RawPeer.read(socket, length);
    return ByteBuffer.allocate(HEADER + length).put(header).put(data).array();
  }
}
