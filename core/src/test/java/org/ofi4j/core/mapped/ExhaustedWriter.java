// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.VectorFiles;

/**
 * A writer for which memory ends behind a store that it makes before its change begins: in a
 * repair, or where it looks at what others changed. Run by {@link SteppingLoader}.
 *
 * <p>Property: {@code halt.directory}.
 */
public final class ExhaustedWriter implements Runnable {
  private static final StoreOptions OPTIONS = Change.EMPTY_HOLES.options();

  private final Path base = Path.of(System.getProperty("halt.directory"));

  /** What all of its vectors have, as they are made alike, at indices that stand for all. */
  private @Nullable View view;

  private int[] indices = {};

  /** For the loader. */
  public ExhaustedWriter() {}

  @Override
  public void run() {
    try {
      for (boolean repair : new boolean[] {false, true}) {
        // The first one says who writes.
        long steps = begin(repair, Long.MAX_VALUE);
        assertThat(steps).isGreaterThan(2);
        long every = Math.max(1, steps / 3);
        for (long step = 2; step < steps; step += every) {
          begin(repair, step);
        }
        if (repair) {
          begin(true, steps - 1);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long begin(boolean repair, long step) throws IOException {
    Path directory = Files.createTempDirectory(base, "vector");
    NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
    try (NamedStore other = NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS);
        NamedStore store = NamedStore.of(vector, OPTIONS)) {
      store.begin();
      store.end();
      other.begin();
      Change.EMPTY_HOLES.prepare(other);
      other.end();
      if (view == null) {
        View all = View.of(other, false);
        indices = all.telling(all, all);
        view = all.only(indices);
      }
      if (repair) {
        NamedStores.failChange(vector);
      }
      Steps.instead(() -> {
        throw new OutOfMemoryError("planted");
      });
      Steps.begin(step);
      long steps;
      try {
        if (step == Long.MAX_VALUE) {
          store.begin();
          steps = Steps.end();
          store.end();
        } else {
          String what = repair ? "no memory to repair" : "no memory to begin a change";
          assertThatThrownBy(store::begin)
              .isInstanceOfSatisfying(
                  FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
              .hasMessageContaining(what);
          steps = Steps.end();
          assertThat(vector.writer() != 0).as("there is something to repair").isEqualTo(repair);
        }
      } finally {
        Steps.end();
      }
      boolean failed = step != Long.MAX_VALUE;
      if (failed) {
        assertThat(files(directory)).as("step %d", step).isEqualTo(2);
        assertThat(View.of(other, false, indices)).isEqualTo(view);
        store.begin();
        store.end();
      }
      assertThat(files(directory)).isEqualTo(2);
      assertThat(View.of(other, false, indices)).isEqualTo(view);
      assertThat(View.of(store, false, indices)).isEqualTo(view);
      Soundness.check(directory);
      return steps;
    }
  }

  private static long files(Path directory) throws IOException {
    return VectorFiles.of(directory.resolve("own")).size();
  }
}
