// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/**
 * A peer made of plain sockets, written from the description of the protocol alone: it says what a
 * test wants it to say. It waits without an end; its sockets are those of channels, so that JUnit
 * can interrupt a test that waits in vain.
 */
public final class RawPeer implements AutoCloseable {
  final ServerSocket listener;
  ByteOrder order = ByteOrder.LITTLE_ENDIAN;
  int features;

  /** The version of endpoint data that it asks for and answers. */
  int version;

  /** What stands behind the data in its connection messages. */
  public byte[] extension = {};

  /** The last connection message that came to it. */
  public byte[] heard = {};

  public RawPeer() throws IOException {
    this("127.0.0.1");
  }

  /** One at an address of this host. */
  RawPeer(String node) throws IOException {
    listener = ServerSocketChannel.open().socket();
    listener.bind(new InetSocketAddress(node, 0));
  }

  public FabricAddress name() {
    return FabricAddress.of((InetSocketAddress) listener.getLocalSocketAddress());
  }

  /** Opens a connection, and says nothing yet. */
  public static Socket connect(FabricAddress to) throws IOException {
    return connect("127.0.0.1", to);
  }

  /** Opens a connection from an address of this host, and says nothing yet. */
  static Socket connect(String node, FabricAddress to) throws IOException {
    Socket socket = SocketChannel.open().socket();
    socket.setTcpNoDelay(true);
    socket.bind(new InetSocketAddress(node, 0));
    socket.connect(SocketAddresses.of(to));
    return socket;
  }

  /** A request of this peer. */
  public byte[] request(int life) {
    return message(0, listener.getLocalPort(), life);
  }

  byte[] message(int type, int port, int life) {
    return ByteBuffer.allocate(40 + extension.length)
        .put(new byte[] {3, (byte) type})
        .putShort((short) (8 + extension.length))
        .position(24)
        .order(order)
        .putLong(type == 6 ? 0 : 1)
        .order(ByteOrder.BIG_ENDIAN)
        .put((byte) version)
        .put((byte) features)
        .putShort((short) port)
        .putInt(life)
        .put(extension)
        .array();
  }

  /** Opens a connection and has it accepted. */
  public Socket join(FabricAddress to, int life) throws IOException {
    Socket socket = connect(to);
    socket.getOutputStream().write(request(life));
    heard = readMessage(socket);
    if (heard[1] != 1) {
      throw new IOException("answered with " + heard[1]);
    }
    return socket;
  }

  /** The type of a connection message. */
  static int answer(Socket socket) throws IOException {
    return readMessage(socket)[1];
  }

  /** A connection message, however long. */
  private static byte[] readMessage(Socket socket) throws IOException {
    byte[] header = read(socket, 32);
    byte[] data = read(socket, ByteBuffer.wrap(header).getShort(2));
    return ByteBuffer.allocate(32 + data.length).put(header).put(data).array();
  }

  /** Accepts the next connection of an endpoint. */
  public Socket accept(int life) throws IOException {
    Socket socket = acceptSilently();
    heard = readMessage(socket);
    socket.getOutputStream().write(message(1, listener.getLocalPort(), life));
    return socket;
  }

  Socket acceptSilently() throws IOException {
    Socket socket = listener.accept();
    socket.setTcpNoDelay(true);
    return socket;
  }

  public static byte[] read(Socket socket, int length) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException(bytes.length + " of " + length + " bytes");
    }
    return bytes;
  }

  /** Whether the other side closes the connection, whatever it says before. */
  public static boolean isClosed(Socket socket) {
    try {
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      return true;
    } catch (SocketTimeoutException stillOpen) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /** An untagged message. */
  public byte[] frame(String text) {
    return frame(text, 0);
  }

  byte[] frame(String text, int flags) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return header(bytes.length, flags).put(bytes).array();
  }

  /** An untagged message with a delivery word. */
  public byte[] frame(String text, int group, int receiveContext) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(24 + bytes.length)
        .order(order)
        .put(new byte[] {3, 0})
        .putShort((short) 0x100)
        .put(new byte[] {0, 0, 24, 0})
        .putLong(24 + bytes.length)
        .putInt(group)
        .putInt(order == ByteOrder.BIG_ENDIAN ? receiveContext << 16 : receiveContext)
        .put(bytes)
        .array();
  }

  /** The header of an untagged message, with room for the payload behind it. */
  private ByteBuffer header(int payload, int flags) {
    return ByteBuffer.allocate(16 + payload)
        .order(order)
        .put((byte) 3)
        .put((byte) 0)
        .putShort((short) flags)
        .put(new byte[] {0, 0, 16, 0})
        .putLong(16 + payload);
  }

  /** Closes a connection so that the other side gets a reset. */
  static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
