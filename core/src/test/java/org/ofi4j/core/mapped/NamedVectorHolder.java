// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.nio.file.Path;
import org.ofi4j.core.store.StoreOptions;

/**
 * A process that fills a vector with a little of everything, and stays attached to it until its
 * input ends.
 */
final class NamedVectorHolder {
  private NamedVectorHolder() {}

  public static void main(String[] args) throws IOException {
    Change content = Change.valueOf(args[1]);
    StoreOptions options = content.options();
    try (NamedStore store =
        NamedStore.of(NamedStores.vector(Path.of(args[0]), options, false), options)) {
      store.begin();
      content.prepare(store);
      store.end();
      System.out.println("ready");
      System.out.flush();
      while (System.in.read() >= 0) {}
      // The files may be anything by now: they are left.
      Runtime.getRuntime().halt(0);
    }
  }
}
