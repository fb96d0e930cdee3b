// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A socket that listens where there is no network: a test says who connects. */
final class ScriptedListener extends ServerSocketChannel implements ScriptedSelector.Scripted {
  /** Connections that wait to be accepted. */
  final Deque<ScriptedSocket> arriving = new ArrayDeque<>();

  private ScriptedListener() {
    super(SelectorProvider.provider());
  }

  /** One that is bound, as {@link org.ofi4j.provider.net.endpoint.LocalSocket} has it. */
  static ScriptedListener bound() throws IOException {
    ScriptedListener listener = new ScriptedListener();
    listener.configureBlocking(false);
    return listener;
  }

  @Override
  public int ready() {
    return arriving.isEmpty() ? 0 : SelectionKey.OP_ACCEPT;
  }

  @Override
  public @Nullable SocketChannel accept() {
    return arriving.poll();
  }

  @Override
  public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) {
    return this;
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
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
  public ServerSocket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketAddress getLocalAddress() {
    return ScriptedSocket.HERE;
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}
}
