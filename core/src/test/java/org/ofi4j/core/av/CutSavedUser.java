// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.core.testing.TestInfo;

/**
 * A process that reads saved vectors whose files are cut once the code that reads is compiled, each
 * in another way, and says what came of it. In a process of its own, as a fault of memory might end
 * it.
 */
final class CutSavedUser {
  private static final int ENTRIES = 10_000;
  private static final int ROUNDS = 2;
  private static final int MANY = 50;

  /** Header, table and the root stay, most of all else goes. */
  private static final long LEFT = 8192;

  private static final TestInfo INFO = TestInfo.defaults().format(AddressFormat.SOCKADDR);

  private final MemorySegment ipv4 = Arena.global().allocate(16L * ENTRIES, 8);
  private final MemorySegment ipv6 = Arena.global().allocate(28L * ENTRIES, 8);
  private final MemorySegment direct = Arena.global().allocate(28, 8);
  private final MemorySegment heap = MemorySegment.ofArray(new byte[28]);
  private final MessageSource source = new MessageSource();
  private final Map<String, Way> ways = new LinkedHashMap<>();

  private CutSavedUser() {}

  /** One way to come to an entry. */
  private interface Way {
    void call(CoreAddressVector vector, TransferPeers peers, int entry);
  }

  public static void main(String[] args) throws IOException {
    new CutSavedUser().run(Path.of(args[0]));
    System.out.println("closed");
  }

  private static FabricAddress v4(int i) {
    return new SocketAddress4(0x0A00_0000 | (i * 0x9E37_79B1 >>> 8), 1000 + i);
  }

  private static FabricAddress v6(int i) {
    return new SocketAddress6(0x2001_0db8L << 32, (i + 1) * 0x9E37_79B9_7F4A_7C15L, 5000, 0, 0);
  }

  private static MemorySegment at(MemorySegment all, int bytes, int entry) {
    return all.asSlice((long) bytes * entry, bytes);
  }

  private void addWays() {
    ways.put("find packed", (v, p, i) -> v.find(at(ipv4, 16, i)));
    ways.put("find packed v6", (v, p, i) -> v.find(at(ipv6, 28, i)));
    ways.put("find value", (v, p, i) -> v.find(v4(i)));
    ways.put("find value v6", (v, p, i) -> v.find(v6(i)));
    ways.put("lookup value", (v, p, i) -> v.lookup(i));
    ways.put("lookup value v6", (v, p, i) -> v.lookup(ENTRIES + i));
    ways.put("lookup packed", (v, p, i) -> v.lookup(i, direct));
    ways.put("lookup packed v6", (v, p, i) -> v.lookup(ENTRIES + i, direct));
    ways.put("lookup heap", (v, p, i) -> v.lookup(i, heap));
    ways.put("lookup heap v6", (v, p, i) -> v.lookup(ENTRIES + i, heap));
    ways.put("handle at", (v, p, i) -> v.handleAt(i));
    ways.put("peers' address", (v, p, i) -> p.socketAddress(i, direct));
    ways.put("peers' keyed address", (v, p, i) -> p.keyedSocketAddress(i, direct));
    ways.put("peers' generation", (v, p, i) -> p.generation(i));
    ways.put("peers' firewall", (v, p, i) -> p.isFirewalled(i));
    ways.put("peers' source", (v, p, i) -> p.findSource(at(ipv4, 16, i), source));
    ways.put("peers' source v6", (v, p, i) -> p.findSource(at(ipv6, 28, i), source));
    ways.put("set", (v, p, i) -> openSet(v, i));
    ways.put("iteration", (v, p, i) -> iterate(v, i));
    ways.put("many lookups", (v, p, i) -> lookupMany(v, heap));
    ways.put("many lookups of peers", (v, p, i) -> lookupMany(p, direct));
    ways.put("save", CutSavedUser::save);
  }

  private static void openSet(CoreAddressVector vector, int entry) {
    if (entry % 1000 == 0) {
      try (AddressVectorSet set = vector.openSet(VectorSetOptions.range(entry, entry + 10))) {
        set.handles();
      }
    }
  }

  // As loops of applications: the compiler may make one method of all that is called.

  private static void lookupMany(CoreAddressVector vector, MemorySegment buffer) {
    for (int i = 0; i < MANY; i++) {
      vector.lookup(i * 7 % ENTRIES, buffer);
    }
  }

  private static void lookupMany(TransferPeers peers, MemorySegment buffer) {
    for (int i = 0; i < MANY; i++) {
      peers.socketAddress(i * 7 % ENTRIES, buffer);
    }
  }

  private static void iterate(CoreAddressVector vector, int entry) {
    for (int i = entry; i < Math.min(entry + 10, ENTRIES); i++) {
      vector.lookup(vector.handleAt(i));
    }
  }

  private static void save(CoreAddressVector vector, TransferPeers peers, int entry) {
    if (entry % (ENTRIES / 2) == 0) {
      vector.save(Path.of(System.getProperty("java.io.tmpdir"), "cut-" + entry + ".av"));
    }
  }

  private void run(Path directory) throws IOException {
    addWays();
    Path whole = directory.resolve("whole.av");
    try (CoreAddressVector vector = VectorFixture.open(INFO, VectorOptions.table())) {
      for (int i = 0; i < ENTRIES; i++) {
        vector.insert(v4(i));
        at(ipv4, 16, i).copyFrom(MemorySegment.ofArray(v4(i).toBytes()));
      }
      for (int i = 0; i < ENTRIES; i++) {
        vector.insert(v6(i));
        at(ipv6, 28, i).copyFrom(MemorySegment.ofArray(v6(i).toBytes()));
      }
      vector.save(whole);
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (Map.Entry<String, Way> way : ways.entrySet()) {
        Path file = directory.resolve("saved.av");
        Files.deleteIfExists(file);
        Files.copy(whole, file);
        System.out.println(way.getKey() + ": " + outcomes(file, way.getValue()));
      }
    }
  }

  private static Map<String, Integer> outcomes(Path file, Way way) throws IOException {
    Map<String, Integer> outcomes = new TreeMap<>();
    VectorOptions reading = VectorOptions.table().withSaved(file).withFlags(VectorFlag.READ);
    try (CoreAddressVector vector = VectorFixture.open(INFO, reading)) {
      TransferPeers peers = vector.peers();
      for (int i = 0; i < ENTRIES; i++) {
        way.call(vector, peers, i);
      }
      try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
        cut.truncate(LEFT);
      }
      for (int i = 0; i < ENTRIES; i += ENTRIES / 20) {
        outcomes.merge(outcome(vector, peers, way, i), 1, Integer::sum);
      }
      // Whatever becomes of these, they do no harm.
      outcome(vector, peers, (v, p, i) -> v.size(), 0);
      outcome(vector, peers, (v, p, i) -> v.statistics(), 0);
      outcomes.merge(String.valueOf(vector).replaceAll(",.*", ")"), 1, Integer::sum);
    }
    return outcomes;
  }

  private static String outcome(CoreAddressVector vector, TransferPeers peers, Way way, int entry) {
    try {
      way.call(vector, peers, entry);
      return "answered";
    } catch (Throwable failed) { // an InternalError above all
      return String.valueOf(failed).replaceAll("file .*/", "file ");
    }
  }
}
