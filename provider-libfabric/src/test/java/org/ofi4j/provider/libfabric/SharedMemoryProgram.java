// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.provider.libfabric.Rig.memory;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ofi4j.Completion;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Limits;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.SharedFiles;
import org.ofi4j.provider.libfabric.shm.RegionVersion;

/** Endpoints over shared memory of which there is little, or that other namespaces share. */
final class SharedMemoryProgram {
  /** The version in a region that is initialized, and is of no release. */
  private static final byte INITIALIZED = 99;

  private static final Path MEMORY = Path.of("/dev/shm");
  private static final int[] SIZES = {1, 300, 5_000, 70_000, 1 << 20};

  private SharedMemoryProgram() {}

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "full" -> full();
      case "small" -> System.out.println(refusal(Limits.none()));
      case "few" -> few();
      case "left" -> left();
      case "hold" -> hold(arguments[1]);
      case "watch" -> watch(arguments[1]);
      case "other" -> other(Boolean.parseBoolean(arguments[1]));
      case "unknown" -> unknown();
      default -> send(arguments[1]);
    }
  }

  /** Opens endpoints until there is no space, takes what is left of it, and uses them. */
  private static void full() throws Exception {
    try (Rig rig = new Rig(Rig.hints("shm"))) {
      List<ReliableEndpoint> opened = new ArrayList<>();
      FabricException refused = null;
      while (refused == null) {
        try {
          opened.add(rig.domain.openReliableEndpoint(rig.vector, rig.queue));
        } catch (FabricException lacking) {
          refused = lacking;
        }
      }
      String message = String.valueOf(refused.getMessage());
      check(refused.errno() == Errno.ENOMEM, message);
      check(message.contains("--shm-size") && message.contains(" KiB are free"), message);
      check(opened.size() >= 3 && files().size() == opened.size(), files() + " " + opened);
      Path filling = fill();
      for (int i = 0; i < 3; i++) {
        for (int size : SIZES) {
          ReliableEndpoint to = opened.get(i % opened.size());
          ClosedEndpointProgram.exchange(rig, opened.getFirst(), to, size);
          ClosedEndpointProgram.exchange(rig, opened.getLast(), to, size);
        }
      }
      Files.delete(filling);
      opened.removeLast().close();
      opened.removeLast().close();
      opened.add(rig.domain.openReliableEndpoint(rig.vector, rig.queue));
      ClosedEndpointProgram.exchange(rig, opened.getFirst(), opened.getLast(), 5_000);
      opened.forEach(ReliableEndpoint::close);
    }
    check(files().isEmpty(), files().toString());
    System.out.println("survived");
  }

  private static Path fill() throws IOException {
    Path filling = MEMORY.resolve("filling");
    byte[] bytes = new byte[4_096];
    try (OutputStream out = Files.newOutputStream(filling)) {
      while (true) {
        out.write(bytes);
      }
    } catch (IOException full) {
      return filling;
    }
  }

  private static String refusal(Limits limits) {
    return Fabrics.info(Rig.hints("shm").withLimits(limits)).refusals().stream()
        .map(Object::toString)
        .filter(each -> each.contains("libfabric"))
        .collect(Collectors.joining());
  }

  /** Hints for few operations need less, where libfabric does not round up. */
  private static void few() throws Exception {
    Limits few = Limits.none().withTransmitSize(16).withReceiveSize(16);
    try (Rig rig = new Rig(Rig.hints("shm").withLimits(few))) {
      ReliableEndpoint endpoint = rig.endpoint();
      ClosedEndpointProgram.exchange(rig, endpoint, endpoint, 5_000);
    }
    System.out.println("survived");
  }

  /** Kills processes that have endpoints, and opens endpoints after that. */
  private static void left() throws Exception {
    boolean reads = !Libfabric.installed().isBefore(2, 0);
    try (ChildJvm living = child("fi_ns://living")) {
      living.demandedLine();
      try (ChildJvm killed = child("")) {
        killed.demandedLine();
      }
      check(files().size() == 2, files().toString());
      try (ChildJvm next = child("")) {
        next.demandedLine();
        // Before 2.0 a process may crash that has not read yet of the one that was killed.
        check(files().size() == (reads ? 2 : 3), files().toString());
      }
    }
    try (Rig rig = new Rig(Rig.hints("shm"))) {
      rig.endpoint();
      check(files().size() == 2 && files().contains("living"), files().toString());
      // The name that a killed process has left is free.
      try (ReliableEndpoint named = named(rig, "fi_ns://living")) {
        ClosedEndpointProgram.exchange(rig, named, named, 5_000);
      }
    }
    check(files().isEmpty(), files().toString());
    System.out.println("survived");
  }

  private static ChildJvm child(String address) throws IOException {
    return ChildJvm.start(SharedMemoryProgram.class, List.of(ChildJvm.NATIVE), "hold", address);
  }

  private static ReliableEndpoint named(Rig rig, String address) {
    return rig.domain.openReliableEndpoint(
        EndpointOptions.of(rig.vector, rig.queue)
            .withAddress(new FabricAddress.TextAddress(address)));
  }

  /** Says where it is, takes a message, and says that; empty for any address. */
  private static void hold(String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints("shm"));
        ReliableEndpoint own =
            address.isEmpty()
                ? rig.domain.openReliableEndpoint(rig.vector, rig.queue)
                : named(rig, address)) {
      MemorySegment buffer = memory(64);
      own.receive(buffer, "received");
      System.out.println(own.address().toText());
      rig.success("received");
      System.out.println("received " + buffer.getString(0));
      System.in.read();
    } catch (FabricException refused) {
      System.out.println(refused.getMessage());
    }
  }

  private static void send(String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints("shm"))) {
      MemorySegment message = memory(64);
      message.setString(0, address);
      long to = rig.vector.insert(new FabricAddress.TextAddress(address));
      rig.endpoint().send(message, to, "sent");
      rig.success("sent");
    }
    System.out.println("sent");
  }

  /** Sends to a peer that goes when this was said to have reached it. */
  private static void watch(String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints("shm"))) {
      ReliableEndpoint own = rig.endpoint();
      long to = rig.vector.insert(new FabricAddress.TextAddress(address));
      own.send(memory(64), to, "first");
      rig.success("first");
      System.out.println("sent");
      System.in.read();
      Completion outcome;
      do {
        own.send(memory(64), to, "late");
        outcome = rig.next("late");
      } while (outcome instanceof Completion.Success);
      Completion.Failure failed = (Completion.Failure) outcome;
      check(failed.errno() == Errno.EHOSTUNREACH, failed.toString());
    }
    System.out.println("survived");
  }

  /** A process of C with a file as libfabric makes it, which names no lock. */
  private static void other(boolean makesIt) throws Exception {
    Path file = MEMORY.resolve(ProcessHandle.current().pid() + ":0:0");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment region = channel.map(MapMode.READ_WRITE, 0, 4_096, Arena.global());
      region.set(ValueLayout.JAVA_BYTE, 0, INITIALIZED);
      region.set(ValueLayout.JAVA_LONG, 16, region.address() + (makesIt ? 0 : 4_096));
      System.out.println(file);
      System.in.read();
    }
  }

  /** A release whose regions have another version than was expected makes a file of its own. */
  private static void unknown() throws Exception {
    RegionVersion.expect(99);
    try (Rig rig = new Rig(Rig.hints("shm"))) {
      ReliableEndpoint first = rig.endpoint();
      ReliableEndpoint second = rig.endpoint();
      for (ReliableEndpoint each : List.of(first, second)) {
        String address = each.address().toText();
        Path file = MEMORY.resolve(address.substring(address.lastIndexOf('/') + 1));
        check(Files.isExecutable(file), file + " is marked");
        check(SharedFiles.isLocked(file), file + " is locked");
      }
      ClosedEndpointProgram.exchange(rig, first, second, 70_000);
    }
    check(files().isEmpty(), files().toString());
    System.out.println("survived");
  }

  private static Set<String> files() throws IOException {
    try (Stream<Path> all = Files.list(MEMORY)) {
      return all.map(each -> each.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static void check(boolean holds, String words) {
    if (!holds) {
      throw new AssertionError(words);
    }
  }
}
