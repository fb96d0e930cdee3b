// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ofi4j.FabricException;
import org.ofi4j.core.store.StoreOptions;

/**
 * Somebody who opens a vector, in whichever class loader or process, reads an entry of it and says
 * what became of that.
 *
 * <p>Properties: {@code other.directory}, {@code other.reads} (whether only to read).
 */
public final class OtherLoaderUser implements Callable<String>, AutoCloseable {
  static final StoreOptions OPTIONS = Change.INSERT_IPV4.options();

  private NamedStore store;

  /** For loaders. */
  public OtherLoaderUser() {}

  /** For processes. */
  public static void main(String[] args) {
    try (OtherLoaderUser user = new OtherLoaderUser()) {
      System.out.println(user.call());
    }
  }

  /** Opens it, until closed; answers how many entries there are, or why not. */
  @Override
  public String call() {
    Path directory = Path.of(System.getProperty("other.directory"));
    boolean reads = Boolean.getBoolean("other.reads");
    try {
      store = NamedStore.of(NamedStores.vector(directory, OPTIONS, reads), OPTIONS);
      return store.size() + " entries";
    } catch (FabricException refused) {
      return refused.getMessage();
    }
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
    }
  }
}
