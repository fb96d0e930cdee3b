// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.Capability;
import org.ofi4j.FabricException;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** A process that ends without closing a named vector, which another thread of it changes. */
public final class ExitingUser {
  private ExitingUser() {}

  public static void main(String[] args) throws Exception {
    TestInfo info = TestInfo.defaults().capabilities(Capability.SHARED_AV);
    CoreAddressVector vector = VectorFixture.open(info, VectorOptions.table().withName("left"));
    vector.insert(VectorFixture.a(1));
    Thread writer = new Thread(() -> change(vector));
    writer.setDaemon(true);
    writer.start();
    System.out.println("ready");
    System.out.flush();
    if (args[0].equals("hook")) {
      Runtime.getRuntime().addShutdownHook(new Thread(vector::close));
    }
    if (System.in.read() < 0) {
      throw new IllegalStateException("nobody says when to end");
    }
    switch (args[0]) {
      case "return" -> {}
      case "halt" -> Runtime.getRuntime().halt(0);
      default -> System.exit(0);
    }
  }

  private static void change(CoreAddressVector vector) {
    try {
      for (int i = 2; true; i = i % 10_000 + 1) {
        vector.insert(VectorFixture.a(i));
      }
    } catch (FabricException ending) {
      // Threads are not to be disturbed by the end more than that.
      return;
    }
  }
}
