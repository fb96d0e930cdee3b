package org.ofi4j.core.av;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.share.NamedVector;

/**
 * A vector of which a writer dies, and those that survive: one that reads, one that comes to read,
 * one that dies in the repair if {@link SteppingLoader} lets it, and one that repairs.
 */
final class HaltedTable implements AutoCloseable {
  /** Who has the vector open before, and goes on using it. */
  enum Survivor {
    READER,
    WRITER
  }

  /** What somebody does after a death. */
  enum Deed {
    READ,
    WRITE,
    COME_TO_READ,
    COME_TO_WRITE,
    DIE_IN_REPAIR,
    SAVE
  }

  private final EnumSet<Survivor> survivors = EnumSet.allOf(Survivor.class);

  final Path directory;
  final StoreOptions options;
  private final boolean several;
  private final boolean keyed;
  private final List<NamedStore> open = new ArrayList<>();
  private final NamedStore keeper;
  private final NamedStore reader;

  /** A vector before a change. */
  HaltedTable(Path directory, Change change) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.options = change.options();
    this.keyed = change == Change.INSERT_KEY || change == Change.REPLACE_KEY;
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.keeper = join(false);
    keeper.begin();
    change.prepare(keeper);
    keeper.end();
    this.reader = join(true);
    // It has seen everything, and keeps of it what readers keep.
    look();
  }

  /** One more opening, until all are closed. */
  NamedStore join(boolean readOnly) {
    NamedStore store = new NamedStore(NamedStores.vector(directory, options, readOnly), options);
    open.add(store);
    return store;
  }

  /** What the reader sees. */
  View look() {
    return View.of(reader, several);
  }

  /** Lets those leave who are not to survive. */
  void leaveAllBut(Set<Survivor> stay) {
    survivors.retainAll(stay);
    if (!stay.contains(Survivor.READER)) {
      reader.close();
    }
    if (!stay.contains(Survivor.WRITER)) {
      keeper.close();
    }
  }

  /**
   * What must be true after a writer has died, whoever does what then.
   *
   * @param before what was seen before the change that it died of
   * @param after what is seen after that change
   * @param deeds what is done, one after the other
   * @param step when one dies that repairs
   */
  void survive(View before, View after, List<Deed> deeds, int step) {
    sound("after the death");
    View seen = null;
    for (Deed deed : deeds) {
      for (Map.Entry<String, View> view : views(deed, step).entrySet()) {
        if (seen == null) {
          seen = view.getValue();
          String strange = seen.strange(before, after);
          if (!strange.isEmpty()) {
            throw new AssertionError(view.getKey() + ": " + strange);
          }
        }
        same(view.getKey() + " of " + deeds, view.getValue(), seen);
      }
      sound("after " + deed + " of " + deeds);
    }
    try (NamedStore last = join(false)) {
      last.begin();
      Change.INSERT_ONE_BY_ONE.apply(last);
      Change.REMOVE.apply(last);
      last.end();
      VectorReport report = sound("after more changes");
      if (report.state() != VectorReport.State.LIVE) {
        throw new AssertionError("after more changes the vector is " + report.state());
      }
      for (Map.Entry<String, View> view : views(Deed.READ, step).entrySet()) {
        same(view.getKey() + " after more changes", view.getValue(), View.of(last, several));
      }
    }
  }

  /** Does something; who has seen what then. */
  private Map<String, View> views(Deed deed, int step) {
    Map<String, View> views = new LinkedHashMap<>();
    boolean reads = survivors.contains(Survivor.READER);
    boolean writes = survivors.contains(Survivor.WRITER);
    switch (deed) {
      case READ -> {}
      case WRITE -> {
        if (writes) {
          keeper.begin();
          keeper.end();
        }
      }
      case COME_TO_READ -> views.put("who comes to read", View.of(join(true), several));
      case COME_TO_WRITE -> {
        NamedStore newcomer = join(false);
        newcomer.begin();
        newcomer.end();
        views.put("who comes to write", View.of(newcomer, several));
      }
      case DIE_IN_REPAIR -> dieInRepair(step);
      case SAVE -> {
        NamedStore saves = writes ? keeper : join(false);
        try (SegmentEntryStore copy = new SegmentEntryStore(options, MemorySource.system())) {
          saves.copyInto(copy, options);
          View saved = View.of(copy, several);
          View own = View.of(saves, several);
          // Fingerprints of keys are told of named vectors only.
          if (!keyed) {
            same("what was saved", saved, own);
          }
          if (!saved.entries().keySet().equals(own.entries().keySet())) {
            throw new AssertionError("saved are " + saved.entries().keySet());
          }
          views.put("who saves", own);
        }
      }
    }
    if (reads) {
      views.put("the reader", look());
    }
    if (writes) {
      views.put("the writer", View.of(keeper, several));
    }
    return views;
  }

  /** Comes to write, and dies on the way if that is long enough. */
  private void dieInRepair(int step) {
    NamedVector vector = NamedStores.vector(directory, options, false);
    boolean died = false;
    NamedStore other = new NamedStore(vector, options);
    try {
      Steps.begin(step);
      other.begin();
      other.end();
    } catch (Steps.Death death) {
      died = true;
      release(vector);
    } finally {
      Steps.end();
      if (died) {
        other.close(true);
      } else {
        other.close();
      }
    }
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
