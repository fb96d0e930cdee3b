// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;

/**
 * A process that attaches to a vector and drops its own locks, as a backup agent in the same JVM
 * does, or reports what it finds and adds an entry.
 */
final class LostLocksUser {
  static final StoreOptions OPTIONS = StoreOptions.of(0, true, DuplicatePolicy.SHARE);

  private LostLocksUser() {}

  /** Opens the vector; waits for other writers for half a second. */
  static NamedVector open(Path directory) {
    return NamedStores.vector(directory, OPTIONS, false, Duration.ofMillis(500));
  }

  static void insert(NamedStore store, int port) {
    store.begin();
    try {
      store.insert(address(port));
    } finally {
      store.end();
    }
  }

  static AddressKey address(int port) {
    AddressKey key = new AddressKey();
    key.setIpv4(0x0A00_0001L << 16 | port);
    return key;
  }

  /** Waits until the socket of a participant listens. */
  static void awaitSocket(Path directory, NamedVector vector) throws IOException {
    String suffix = "." + vector.participant() + ".alive";
    while (true) {
      try (Stream<Path> files = Files.list(directory.resolve("own"))) {
        Path socket = files.filter(each -> each.toString().endsWith(suffix)).findAny().orElse(null);
        if (socket != null) {
          SocketChannel.open(UnixDomainSocketAddress.of(socket)).close();
          return;
        }
      } catch (ConnectException early) {
        // It has its path, but does not listen yet.
      }
      Thread.onSpinWait();
    }
  }

  /** Reads the control file and closes it, which drops all locks of this process. */
  static void dropLocks(Path directory) throws IOException {
    Files.readAllBytes(directory.resolve("own").resolve("domain+vector.control"));
  }

  /** Deletes the sockets of all processes, so that they have no proof of life but their locks. */
  static void deleteSockets(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("own"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".alive")).toList()) {
        Files.delete(file);
      }
    }
  }

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    NamedVector vector = open(directory);
    if (!args[1].equals("deep")) {
      awaitSocket(directory, vector);
    }
    try (NamedStore store = NamedStore.of(vector, OPTIONS)) {
      if (args[1].equals("hold")) {
        insert(store, 1);
        store.begin();
        dropLocks(directory);
        say("ready");
        while (System.in.read() >= 0) {}
        Runtime.getRuntime().halt(0);
      }
      say("size " + store.size() + " others " + vector.otherProcesses().size());
      boolean isAtWork =
          vector.participants().stream().anyMatch(one -> one.isWriting() && one.isAlive());
      say("writer " + (vector.writer() != 0) + " at work " + isAtWork);
      try {
        insert(store, Integer.parseInt(args[2]));
        say("inserted");
      } catch (FabricException late) {
        say(String.valueOf(late.errno()));
      }
      if (!args[1].equals("visit")) {
        Runtime.getRuntime().halt(0);
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
