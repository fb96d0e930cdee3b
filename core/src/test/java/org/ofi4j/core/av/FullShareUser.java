// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Capability;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** A process that opens a vector by name where there is no room for files, and says how it ends. */
final class FullShareUser {
  private FullShareUser() {}

  /** Says how insertions fail once there is no more room. */
  private static void fill(CoreAddressVector vector) {
    List<FabricAddress> many = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      many.add(new SocketAddress4(0x0A00_0000 | (i * 0x9E37_79B1 >>> 9), 1 + i));
    }
    Insertion insertion = vector.insert(many, InsertOptions.none());
    print(insertion.failures().getFirst());
    try {
      for (FabricAddress one : many) {
        vector.insert(one);
      }
    } catch (FabricException refused) {
      System.out.println(refused.getMessage());
    }
    for (int i = 0; i < 10_000; i++) {
      insertion =
          vector.insertSymmetric(
              "10.9." + i / 50 + "." + i % 50, 1, "7000", 1, InsertOptions.none());
      if (!insertion.failures().isEmpty()) {
        print(insertion.failures().getFirst());
        return;
      }
    }
  }

  private static void print(InsertionFailure failure) {
    System.out.println(failure.errno() + " " + failure);
  }

  public static void main(String[] args) {
    TestInfo info = TestInfo.defaults().capabilities(Capability.SHARED_AV);
    for (int i = 0; i < 2; i++) {
      try (CoreAddressVector vector =
          VectorFixture.open(info, VectorOptions.table().withName("full"))) {
        fill(vector);
      } catch (FabricException refused) {
        System.out.println(refused.getMessage());
      }
    }
    try (CoreAddressVector vector = VectorFixture.open(info, VectorOptions.table())) {
      System.out.println(vector.size());
    }
  }
}
