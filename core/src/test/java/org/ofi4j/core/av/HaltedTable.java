package org.ofi4j.core.av;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.share.NamedVector;

/**
 * A vector of which a writer dies, and those that survive: one that reads, one that comes to read,
 * one that dies in the repair if {@link SteppingLoader} lets it, and one that repairs.
 */
final class HaltedTable implements AutoCloseable {
  final Path directory;
  final StoreOptions options;
  private final boolean several;
  private final List<NamedStore> open = new ArrayList<>();
  private final NamedStore keeper;
  private final NamedStore reader;

  /** A vector before a change. */
  HaltedTable(Path directory, Change change) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.options = change.options();
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.keeper = join(false);
    keeper.begin();
    change.prepare(keeper);
    keeper.end();
    this.reader = join(true);
    // It has seen everything, and keeps of it what readers keep.
    look();
  }

  private NamedStore join(boolean readOnly) {
    NamedStore store = new NamedStore(NamedStores.vector(directory, options, readOnly), options);
    open.add(store);
    return store;
  }

  /** What the reader sees. */
  View look() {
    return View.of(reader, several);
  }

  /**
   * What must be true after a writer has died, and go on being true.
   *
   * @param before what was seen before the change that it died of
   * @param after what is seen after that change
   * @param random when another one dies that repairs
   */
  void survive(View before, View after, SplittableRandom random) {
    sound("after the death");
    View seen = look();
    String strange = seen.strange(before, after);
    if (!strange.isEmpty()) {
      throw new AssertionError(strange);
    }
    same("who comes to read", View.of(join(true), several), seen);
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore other = new NamedStore(vector, options)) {
      Steps.begin(random.nextInt(1, 4000));
      try {
        other.begin();
        other.end();
      } catch (Steps.Death death) {
        release(vector);
      } finally {
        Steps.end();
      }
      sound("after a death in the repair");
      same("the reader after a death in the repair", look(), seen);
    }
    keeper.begin();
    keeper.end();
    VectorReport report = sound("after the repair");
    if (report.state() != VectorReport.State.LIVE) {
      throw new AssertionError("after the repair the vector is " + report.state());
    }
    same("the reader after the repair", look(), seen);
    same("the writer after the repair", View.of(keeper, several), seen);
    keeper.begin();
    Change.INSERT_ONE_BY_ONE.apply(keeper);
    Change.REMOVE.apply(keeper);
    keeper.end();
    sound("after more changes");
    same("the reader after more changes", look(), View.of(keeper, several));
  }

  /** Gives back the lock of a writer that died, if it had it, as the kernel would. */
  static void release(NamedVector vector) {
    try {
      vector.fail();
    } catch (IllegalMonitorStateException released) {
      // It was given back on the way.
    }
  }

  private static void same(String who, View seen, View wanted) {
    if (!seen.equals(wanted)) {
      throw new AssertionError(who + " sees something else: " + seen.strange(wanted, wanted));
    }
  }

  private VectorReport sound(String when) {
    VectorReport report = Soundness.look(directory, options);
    if (!report.isSound()) {
      throw new AssertionError(when + ": " + report.violations());
    }
    return report;
  }

  @Override
  public void close() {
    open.forEach(NamedStore::close);
  }
}
