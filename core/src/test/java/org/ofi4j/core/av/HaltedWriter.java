package org.ofi4j.core.av;

import java.nio.file.Path;
import org.ofi4j.core.share.NamedVector;

/**
 * A process that changes a vector and halts itself behind one of its stores. Run by {@link
 * SteppingLoader}.
 *
 * <p>Properties: {@code halt.directory}, {@code halt.change}, {@code halt.step}. It answers {@link
 * Steps#HALTED}, or 0 if there were fewer steps, and prints how many.
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
    try (NamedStore store = new NamedStore(vector, change.options())) {
      Steps.halt();
      Steps.begin(Long.getLong("halt.step"));
      store.begin();
      change.apply(store);
      store.end();
      System.out.println(Steps.end());
    }
  }
}
