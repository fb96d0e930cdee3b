// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The TCP connection over which both sides exchange addresses, keep in step and compare counts. Has
 * no notion of what the messages mean; each is sent in one piece, because the C program takes a
 * short read for a whole message. For one thread.
 */
final class ControlConnection implements AutoCloseable {
  /** Where servers listen. */
  static final int DEFAULT_PORT = 47592;

  private static final int LONGEST_MESSAGE = 4096;

  private final SocketChannel channel;
  private final Selector selector;
  private final Duration timeout;
  private final ByteBuffer input = ByteBuffer.allocate(LONGEST_MESSAGE).flip();
  private boolean atEnd;
  private String likelyCause = "; does it speak the protocol of fi_pingpong?";

  private ControlConnection(SocketChannel channel, Duration timeout) throws IOException {
    this.channel = channel;
    this.timeout = timeout;
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    selector = Selector.open();
    channel.register(selector, SelectionKey.OP_READ);
  }

  /** Waits for one client, however long that takes; nobody else can connect afterwards. */
  static ControlConnection accept(int port, boolean ipv6, Duration timeout) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open(family(ipv6))) {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      try {
        server.bind(new InetSocketAddress(any(ipv6), port), 10);
      } catch (IOException e) {
        throw new IOException("cannot listen on port " + port + ": " + e.getMessage(), e);
      }
      return of(server.accept(), timeout);
    }
  }

  /** Connects to a server. A source port of 0 leaves the choice to the system. */
  static ControlConnection connect(
      String host, int port, int sourcePort, boolean ipv6, Duration timeout) throws IOException {
    IOException last = null;
    for (InetAddress address : InetAddress.getAllByName(host)) {
      if (address instanceof Inet4Address == ipv6) {
        continue;
      }
      SocketChannel channel = SocketChannel.open(family(ipv6));
      try {
        if (sourcePort != 0) {
          channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
          channel.bind(new InetSocketAddress(any(ipv6), sourcePort));
        }
        channel.socket().connect(new InetSocketAddress(address, port), (int) timeout.toMillis());
        return of(channel, timeout);
      } catch (IOException e) {
        channel.close();
        last = e;
      }
    }
    String reason =
        last == null
            ? "it has no " + (ipv6 ? "IPv6 address" : "IPv4 address; -6 asks for IPv6")
            : String.valueOf(last.getMessage());
    throw new IOException("cannot connect to " + host + " port " + port + ": " + reason, last);
  }

  private static ControlConnection of(SocketChannel channel, Duration timeout) throws IOException {
    try {
      return new ControlConnection(channel, timeout);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static ProtocolFamily family(boolean ipv6) {
    return ipv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
  }

  private static InetAddress any(boolean ipv6) throws IOException {
    return InetAddress.getByAddress(new byte[ipv6 ? 16 : 4]);
  }

  /** Our end of the connection: an address at which the peer reaches us. */
  InetAddress localAddress() throws IOException {
    return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
  }

  /** From here on silence has another likely cause: sides that count differently. */
  void expectDifferentOptions() {
    likelyCause = "; do both sides have the same -I, -S and -c?";
  }

  /** Sends a message whole. */
  void send(byte[] message) throws IOException {
    ByteBuffer output = ByteBuffer.wrap(message);
    long deadline = System.nanoTime() + timeout.toNanos();
    while (output.hasRemaining()) {
      // Control messages are far smaller than the socket's buffer, so this loop runs once.
      if (write(output) == 0) {
        if (System.nanoTime() - deadline > 0) {
          throw new IOException("the other side does not read the control connection");
        }
        Thread.onSpinWait();
      }
    }
  }

  /** Sends text that ends in a zero byte. */
  void sendText(String text) throws IOException {
    send((text + '\0').getBytes(StandardCharsets.US_ASCII));
  }

  /** Waits for a message of a known length. */
  byte[] receive(int size, String what) throws IOException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (input.remaining() < size) {
      if (atEnd) {
        throw new IOException("the other side ended the test instead of sending " + what);
      }
      if (!readMore()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new IOException(
              "the other side did not send %s within %s s%s"
                  .formatted(what, timeout.toSeconds(), likelyCause));
        }
        selector.select(Math.max(1, left / 1_000_000));
        selector.selectedKeys().clear();
      }
    }
    byte[] message = new byte[size];
    input.get(message);
    return message;
  }

  /** Waits for text that ends in a zero byte and must be what is expected. */
  void expectText(String expected, String what) throws IOException {
    byte[] message = receive(expected.length() + 1, what);
    String text = new String(message, 0, expected.length(), StandardCharsets.US_ASCII);
    if (!text.equals(expected) || message[expected.length()] != 0) {
      throw new IOException(
          "the other side sent \"" + printable(message) + "\" where " + what + " belongs");
    }
  }

  /** Whether the other side has closed the connection. Never waits. */
  boolean isPeerGone() {
    try {
      while (!atEnd && readMore()) {
        // What it sent before is kept for receive.
      }
    } catch (IOException e) {
      atEnd = true;
    }
    return atEnd && !input.hasRemaining();
  }

  private int write(ByteBuffer output) throws IOException {
    try {
      return channel.write(output);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private static IOException broken(IOException e) {
    return new IOException(
        "the control connection broke ("
            + e.getMessage()
            + "): the other side ended, or does not speak the protocol of fi_pingpong",
        e);
  }

  private boolean readMore() throws IOException {
    input.compact();
    try {
      int count = channel.read(input);
      atEnd |= count < 0;
      return count > 0;
    } catch (IOException e) {
      throw broken(e);
    } finally {
      input.flip();
    }
  }

  private static String printable(byte[] message) {
    StringBuilder text = new StringBuilder();
    for (byte each : message) {
      text.append(each >= ' ' && each <= '~' ? String.valueOf((char) each) : "\\" + (each & 0xFF));
    }
    return text.toString();
  }

  /** The connection as the peer sees it, for messages. */
  @Override
  public String toString() {
    try {
      return channel.getLocalAddress() + " to " + channel.getRemoteAddress();
    } catch (IOException e) {
      return "closed control connection";
    }
  }

  @Override
  public void close() throws IOException {
    selector.close();
    channel.close();
  }
}
