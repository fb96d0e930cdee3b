// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A channel whose socket does what a test says: is full, fails, or has something to receive. */
public final class FakeChannel extends DatagramChannel {
  /** Messages that were sent, each as text. */
  public final List<String> sent = new ArrayList<>();

  /** What the next receives give: a text to take in, or an exception. */
  public final Deque<Object> arriving = new ArrayDeque<>();

  /** Whether the socket's buffer has no room. */
  public boolean full;

  /** What the next send fails with. */
  public @Nullable IOException failure;

  public FakeChannel() {
    super(SelectorProvider.provider());
  }

  @Override
  public int send(ByteBuffer source, SocketAddress target) throws IOException {
    IOException failing = failure;
    if (failing != null) {
      failure = null;
      throw failing;
    }
    if (full) {
      return 0;
    }
    int length = source.remaining();
    sent.add(StandardCharsets.UTF_8.decode(source).toString());
    return length;
  }

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    Object next = arriving.pollFirst();
    if (next instanceof IOException failing) {
      throw failing;
    }
    if (next == null) {
      return null;
    }
    into.put(String.valueOf(next).getBytes(StandardCharsets.UTF_8));
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 5_000);
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}

  @Override
  public DatagramChannel bind(@Nullable SocketAddress local) {
    return this;
  }

  @Override
  public <T> DatagramChannel setOption(SocketOption<T> name, T value) {
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
  public DatagramSocket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isConnected() {
    return false;
  }

  @Override
  public DatagramChannel connect(SocketAddress remote) {
    return this;
  }

  @Override
  public DatagramChannel disconnect() {
    return this;
  }

  @Override
  public MembershipKey join(InetAddress group, NetworkInterface at) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MembershipKey join(InetAddress group, NetworkInterface at, @Nullable InetAddress source) {
    throw new UnsupportedOperationException();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() {
    return null;
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() {
    return null;
  }

  @Override
  public int read(ByteBuffer into) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer from) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }
}
