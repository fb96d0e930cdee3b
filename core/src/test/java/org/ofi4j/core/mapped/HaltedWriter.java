// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.ofi4j.core.share.NamedVector;

/**
 * A process that changes a vector and halts itself behind one of its stores, or says so and waits
 * for a line. Run by {@link SteppingLoader}.
 *
 * <p>Properties: {@code halt.directory}, {@code halt.change}, {@code halt.step}, {@code
 * halt.waits}, {@code halt.prepares} (whether the vector is to be filled before). It answers {@link
 * Steps#HALTED}, or 0 if there were fewer steps or it goes on.
 */
public final class HaltedWriter implements Runnable {
  /** For the loader. */
  public HaltedWriter() {}

  /** Starts it in a loader of its own. */
  public static void main(String[] args) throws ReflectiveOperationException {
    SteppingLoader.run(HaltedWriter.class);
  }

  @Override
  public void run() {
    Change change = Change.valueOf(System.getProperty("halt.change"));
    Path directory = Path.of(System.getProperty("halt.directory"));
    NamedVector vector = NamedStores.vector(directory, change.options(), false);
    try (NamedStore store = NamedStore.of(vector, change.options())) {
      if (Boolean.getBoolean("halt.waits")) {
        Steps.instead(HaltedWriter::await);
      } else {
        Steps.halt();
      }
      if (Boolean.getBoolean("halt.prepares")) {
        store.begin();
        change.prepare(store);
        store.end();
      }
      Steps.begin(Long.getLong("halt.step"));
      store.begin();
      change.apply(store);
      store.end();
      Steps.end();
    }
  }

  private static void await() {
    System.out.println("here");
    System.out.flush();
    try {
      if (System.in.read() < 0) {
        throw new IllegalStateException("nobody is there any more");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
