// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * A link to servers that can be cut alone: while it is cut, connections stay open and new ones are
 * accepted, and no byte passes, as when a cable is pulled.
 */
final class Link implements AutoCloseable {
  private static final int BUFFER = 8192;

  private final List<ServerSocket> listening = new ArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Object gate = new Object();

  /** Guarded by the gate. */
  private boolean isCut;

  /** Guarded by the gate: whether the servers' bytes wait. */
  private boolean isDeaf;

  /** Guarded by the gate: part of the request after which the servers' bytes wait, or empty. */
  private String deafening = "";

  private volatile boolean isClosed;

  /**
   * A link that is up.
   *
   * @param servers where it leads to, {@code HOST:PORT,...}
   */
  Link(String servers) {
    for (String each : servers.split(",")) {
      String[] part = each.split(":");
      InetSocketAddress target = new InetSocketAddress(part[0], Integer.parseInt(part[1]));
      try {
        ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listening.add(socket);
        start(() -> accept(socket, target));
      } catch (IOException failure) {
        throw new AssertionError(failure);
      }
    }
  }

  /** The address that clients connect to. */
  String connectString() {
    return listening.stream()
        .map(each -> "127.0.0.1:" + each.getLocalPort())
        .collect(Collectors.joining(","));
  }

  private static void start(Runnable task) {
    Thread.ofPlatform().daemon().name("link").start(task);
  }

  private void accept(ServerSocket socket, InetSocketAddress target) {
    while (!isClosed) {
      try {
        Socket client = socket.accept();
        open.add(client);
        start(() -> connect(client, target));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void connect(Socket client, InetSocketAddress target) {
    try {
      awaitUp(false);
      Socket server = new Socket();
      open.add(server);
      server.connect(target, 5_000);
      server.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
      start(() -> pass(client, server, false));
      pass(server, client, true);
    } catch (IOException away) {
      end(client);
    }
  }

  private void pass(Socket from, Socket to, boolean isAnswer) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        awaitUp(isAnswer);
        if (!isAnswer) {
          note(new String(buffer, 0, length, ISO_8859_1));
        }
        out.write(buffer, 0, length);
      }
    } catch (IOException ended) {
      // Both sides end below.
    }
    end(from);
    end(to);
  }

  private void end(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException ended) {
      // It is closed anyway.
    }
  }

  private void awaitUp(boolean isAnswer) throws IOException {
    synchronized (gate) {
      while ((isCut || (isAnswer && isDeaf)) && !isClosed) {
        try {
          gate.wait();
        } catch (InterruptedException interrupted) {
          throw new IOException(interrupted);
        }
      }
    }
  }

  /** No byte passes from now on. */
  void cut() {
    synchronized (gate) {
      isCut = true;
    }
  }

  /** From now on requests pass, and no answer does. */
  void cutAnswers() {
    synchronized (gate) {
      isDeaf = true;
    }
  }

  /**
   * From now on requests pass; no answer does, once a request with these bytes has passed.
   *
   * @param request the bytes, each as a character; they must be in one piece
   */
  void cutAnswersTo(String request) {
    synchronized (gate) {
      deafening = request;
    }
  }

  private void note(String request) {
    synchronized (gate) {
      if (!deafening.isEmpty() && request.contains(deafening)) {
        isDeaf = true;
        deafening = "";
      }
    }
  }

  /** Ends all connections, with the answers that have waited; new connections are up. */
  void reset() {
    Set.copyOf(open).forEach(this::end);
    mend();
  }

  /** Lets data pass again, with the data that has waited. */
  void mend() {
    synchronized (gate) {
      isCut = false;
      isDeaf = false;
      gate.notifyAll();
    }
  }

  @Override
  public void close() {
    isClosed = true;
    mend();
    Set.copyOf(open).forEach(this::end);
    for (ServerSocket each : listening) {
      try {
        each.close();
      } catch (IOException failure) {
        throw new AssertionError(failure);
      }
    }
  }
}
