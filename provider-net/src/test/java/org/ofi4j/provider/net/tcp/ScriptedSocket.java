// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection without a network: a test says what comes over it, and when it fails. */
public final class ScriptedSocket extends SocketChannel implements ScriptedSelector.Scripted {
  public static final InetSocketAddress HERE = new InetSocketAddress("127.0.0.1", 4_001);
  public static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 4_002);

  /** What was written to it. */
  public final ByteArrayOutputStream written = new ByteArrayOutputStream();

  /** What came over it, read or not. */
  public final ByteArrayOutputStream said = new ByteArrayOutputStream();

  /** Whether the other side listens, once that is decided. */
  @Nullable Boolean answered;

  /** Whether the other side has closed it. */
  public boolean ended;

  /** Whether the other side has reset it. */
  boolean reset;

  /** How many bytes can still be written. */
  int room = Integer.MAX_VALUE;

  /** How often it can still be written to before it turns out to be reset. */
  public int writes = Integer.MAX_VALUE;

  private int read;
  private boolean connecting;
  private boolean connected;
  private boolean silenced;

  private ScriptedSocket() {
    super(SelectorProvider.provider());
  }

  /** One that is bound, as {@link org.ofi4j.provider.net.endpoint.LocalSocket} has it. */
  static ScriptedSocket bound() throws IOException {
    ScriptedSocket socket = new ScriptedSocket();
    socket.configureBlocking(false);
    return socket;
  }

  /** One that the other side has connected. */
  public static ScriptedSocket connected() {
    ScriptedSocket socket = new ScriptedSocket();
    socket.connected = true;
    return socket;
  }

  public void say(byte[] bytes) {
    said.writeBytes(bytes);
  }

  boolean isConnecting() {
    return connecting;
  }

  @Override
  public int ready() {
    int unread = said.size() - read;
    return (connected && (unread > 0 || ended || reset) ? SelectionKey.OP_READ : 0)
        | (connected && room > 0 ? SelectionKey.OP_WRITE : 0)
        | (connecting && answered != null ? SelectionKey.OP_CONNECT : 0);
  }

  private void check() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public boolean connect(@Nullable SocketAddress remote) throws IOException {
    check();
    connecting = true;
    return finishConnect();
  }

  @Override
  public boolean finishConnect() throws IOException {
    check();
    if (Boolean.FALSE.equals(answered)) {
      throw new ConnectException("Connection refused");
    }
    connected = answered != null;
    connecting = !connected;
    return connected;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    check();
    byte[] all = said.toByteArray();
    int count = Math.min(all.length - read, into.remaining());
    if (count > 0) {
      into.put(all, read, count);
      read += count;
      return count;
    }
    if (reset && into.hasRemaining()) {
      throw new IOException("Connection reset by peer");
    }
    return ended && into.hasRemaining() ? -1 : 0;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    check();
    if (reset || silenced || writes-- == 0) {
      throw new IOException("Broken pipe");
    }
    int count = Math.min(room, from.remaining());
    byte[] bytes = new byte[count];
    from.get(bytes);
    written.writeBytes(bytes);
    room -= count;
    return count;
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      sum += write(from[i]);
    }
    return sum;
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketChannel shutdownInput() {
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() throws IOException {
    check();
    silenced = true;
    return this;
  }

  @Override
  public Socket socket() {
    return new Socket();
  }

  @Override
  public boolean isConnected() {
    return connected;
  }

  @Override
  public boolean isConnectionPending() {
    return connecting;
  }

  @Override
  public SocketAddress getRemoteAddress() {
    return THERE;
  }

  @Override
  public SocketAddress getLocalAddress() {
    return HERE;
  }

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) {
    return this;
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Set.of();
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}
}
