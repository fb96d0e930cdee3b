// SPDX-License-Identifier: Apache-2.0
package examples;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.FabricAddress;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.PeerLine;
import org.ofi4j.PeerList;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;

/** Address vectors. Javadoc shows the methods, and a test runs them. */
final class Vectors {
  private Vectors() {}

  // @start region="entries"
  static long insertFindAndRemove(Domain domain) {
    try (AddressVector vector = domain.openAddressVector(VectorOptions.table())) {
      long peer = vector.insert(FabricAddress.parse("10.1.1.7:5000"));
      Insertion rack = vector.insertSymmetric("10.2.0.1", 64, "5000", 4); // 64 hosts, 4 ports each

      FabricAddress last = vector.lookup(rack.handle(255)); // 10.2.0.64:5003
      vector.remove(peer);
      return vector.find(last); // the handle that lookup was given
    }
  }

  // @end

  // @start region="packed"
  static int insertPacked(AddressVector vector, int firstHost, int hosts) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment addresses = arena.allocate(16L * hosts); // struct sockaddr_in, one by one
      MemorySegment handles = arena.allocate(8L * hosts);
      for (int i = 0; i < hosts; i++) {
        byte[] packed = new FabricAddress.SocketAddress4(firstHost + i, 5000).toBytes();
        MemorySegment.copy(packed, 0, addresses, ValueLayout.JAVA_BYTE, 16L * i, packed.length);
      }
      return vector.insert(addresses, hosts, handles, null, 0, null);
    }
  }

  // @end

  // @start region="peers"
  static List<String> insertAll(AddressVector vector, Path file) throws IOException {
    List<String> problems = new ArrayList<>();
    try (PeerList list = PeerList.open(file).defaultService("5000")) {
      for (PeerLine line = list.next(); line != null; line = list.next()) {
        switch (line) {
          case PeerLine.Malformed malformed -> problems.add(malformed.toString());
          case PeerLine.Single _, PeerLine.Named _, PeerLine.Range _ -> {
            for (InsertionFailure failure : line.insertInto(vector).failures()) {
              problems.add(file + ":" + line.number() + ": " + failure);
            }
          }
        }
      }
    }
    return problems;
  }

  // @end

  // @start region="named"
  static FabricAddress share(Domain domain, String name) { // of hints with SHARED_AV
    VectorOptions options = VectorOptions.table().withName(name);
    try (AddressVector ours = domain.openAddressVector(options)) { // the first process makes it
      long peer = ours.insert(FabricAddress.parse("10.1.1.7:5000"));

      // What every other process does; it fails with ENOENT (2) as long as there is no such vector.
      VectorOptions reading = options.withFlags(VectorFlag.READ);
      try (AddressVector theirs = domain.openAddressVector(reading)) {
        return theirs.lookup(peer); // the same handles everywhere
      }
    }
  }
  // @end
}
