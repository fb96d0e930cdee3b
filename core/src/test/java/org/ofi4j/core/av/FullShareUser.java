// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.AvAttributes;
import org.ofi4j.Capability;
import org.ofi4j.FabricException;
import org.ofi4j.core.testing.TestInfo;

/** A process that opens a vector by name where there is no room for files, and says how it ends. */
final class FullShareUser {
  private FullShareUser() {}

  public static void main(String[] args) {
    TestInfo info = TestInfo.defaults().capabilities(Capability.SHARED_AV);
    for (int i = 0; i < 2; i++) {
      try (CoreAddressVector vector = VectorFixture.open(info, AvAttributes.table().name("full"))) {
        System.out.println("opened " + vector);
      } catch (FabricException refused) {
        System.out.println(refused.getMessage());
      }
    }
    try (CoreAddressVector vector = VectorFixture.open(info, AvAttributes.table())) {
      System.out.println(vector.size());
    }
  }
}
