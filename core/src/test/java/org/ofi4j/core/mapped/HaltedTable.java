// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.av.VectorFixture;
import org.ofi4j.core.mapped.HaltedVictim.Part;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.TestDomain;

/** A vector of which a writer dies, and those that survive: whoever is there, and whoever comes. */
final class HaltedTable implements AutoCloseable {
  /** Who has the vector open before, and goes on using it. */
  enum Survivor {
    READER,
    WRITER
  }

  /** What somebody does after a death. */
  enum Deed {
    /** Who reads goes on. */
    READ,
    /** Who writes goes on, repairs, and changes something that nobody sees later. */
    WRITE,
    /** Another process attaches to read, and one more opening of this one. */
    COME_TO_READ,
    /** Another process attaches to write, and repairs. */
    COME_TO_WRITE,
    /** Another process attaches to write, and dies on the way. */
    DIE_IN_REPAIR,
    /** Who writes, or comes to write, saves. */
    SAVE
  }

  private final EnumSet<Survivor> survivors = EnumSet.allOf(Survivor.class);

  final Path directory;
  final StoreOptions options;
  private final Change change;
  private final boolean several;
  private final List<NamedStore> open = new ArrayList<>();
  private final NamedStore keeper;
  private final NamedStore reader;

  /**
   * Reads with the reader, and survives with it, but goes short ways only, which go on with the
   * file that they know for as long as it has something to be found.
   */
  private final NamedStore hasty;

  /** A vector before a change. */
  HaltedTable(Path directory, Change change) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.change = change;
    this.options = change.options();
    this.several = several(change);
    this.keeper = join(false);
    keeper.begin();
    change.prepare(keeper);
    keeper.end();
    this.reader = join(true);
    this.hasty = join(true);
    // They have seen something of everything, and keep of it what readers keep.
    int[] some = IntStream.range(0, 500).map(i -> i < 250 ? i : 32 * i).toArray();
    NamedStores.lookLong(reader, NamedStores.LOOKUPS, NamedStores.OFTEN);
    NamedStores.lookLong(hasty, NamedStores.LOOKUPS, NamedStores.OFTEN);
    View.of(reader, several, some);
    View.of(hasty, several, some);
  }

  /** Whether an address may have several indices. */
  static boolean several(Change change) {
    return change.options().duplicates() == DuplicatePolicy.NEW_INDEX;
  }

  /** One more opening, until all are closed. */
  NamedStore join(boolean readOnly) {
    NamedStore store = NamedStore.of(NamedStores.vector(directory, options, readOnly), options);
    open.add(store);
    return store;
  }

  /** What the reader sees. */
  View look() {
    return View.of(reader, several);
  }

  /**
   * Lets those leave who are not to survive. If nobody is, somebody stays attached who does
   * nothing, as if stopped: without anybody there is no vector.
   */
  void leaveAllBut(Set<Survivor> stay) {
    survivors.retainAll(stay);
    if (survivors.isEmpty()) {
      join(false);
    }
    if (!stay.contains(Survivor.READER)) {
      reader.close();
      hasty.close();
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
   * @param other who comes, or dies
   */
  void survive(View before, View after, List<Deed> deeds, int step, HaltedOther other)
      throws IOException {
    sound("after the death");
    Witnesses witnesses = new Witnesses(several, before, after);
    boolean repaired = false;
    for (Deed deed : deeds) {
      act(deed, step, other, witnesses);
      if (!repaired) {
        look(step % 2 == 0, "after " + deed, witnesses);
        // Of what is whole, and was seen so by all, those who stay only look at the end.
        repaired = sound("after " + deed).state() == SharedVectorReport.State.IN_USE;
      }
    }
    boolean stays = survivors.contains(Survivor.WRITER) && step % 4 < 2;
    changeMore(stays ? keeper : join(false), witnesses);
  }

  /** Those look that were there before, and somebody else if there is something to be compared. */
  private void look(boolean readerFirst, String when, Witnesses witnesses) {
    List<Survivor> all = new ArrayList<>(survivors);
    for (Survivor survivor : readerFirst ? all : all.reversed()) {
      witnesses.look(survivor + " " + when, store(survivor));
    }
    if (witnesses.isOpen()) {
      witnesses.look("who comes " + when, join(true));
    }
    if (survivors.contains(Survivor.READER) && !witnesses.isOpen()) {
      new ShortLooks(hasty, witnesses.indices()).check(witnesses.seen());
    }
  }

  private NamedStore store(Survivor survivor) {
    return survivor == Survivor.READER ? reader : keeper;
  }

  /** Does something. */
  private void act(Deed deed, int step, HaltedOther other, Witnesses witnesses) throws IOException {
    boolean writes = survivors.contains(Survivor.WRITER);
    switch (deed) {
      case READ -> {}
      case WRITE -> {
        if (writes) {
          keeper.begin();
          Change.passBy(keeper);
          keeper.end();
        }
      }
      case COME_TO_READ -> {
        witnesses.look(other.comes(true, change, directory, witnesses.indices()));
        witnesses.look("who comes to read", join(true));
      }
      case COME_TO_WRITE ->
          witnesses.look(other.comes(false, change, directory, witnesses.indices()));
      case DIE_IN_REPAIR -> other.dies(Part.REPAIR, change, directory, step);
      case SAVE -> {
        NamedStore saves = writes ? keeper : join(false);
        witnesses.look("who saves", saves);
        save(saves, witnesses);
      }
    }
  }

  private void save(NamedStore saves, Witnesses witnesses) {
    int[] indices = Objects.requireNonNull(witnesses.indices());
    try (EntryStore copy = new EntryStore(options, MemorySource.system())) {
      saves.copyInto(copy, options);
      View saved = View.of(copy, several, indices);
      // Fingerprints of keys are told of named vectors only.
      if (!change.hasKeys()) {
        Witnesses.same("what was saved", saved, witnesses.seen());
      }
      if (!saved.entries().keySet().equals(witnesses.seen().entries().keySet())) {
        throw new AssertionError("saved are " + saved.entries().keySet());
      }
    }
  }

  /** Somebody goes on, who was there before or not; the others see it. */
  private void changeMore(NamedStore last, Witnesses witnesses) {
    last.begin();
    Change.INSERT_ROWS.apply(last);
    Change.REMOVE.apply(last);
    last.end();
    SharedVectorReport report = sound("after more changes");
    if (report.state() != SharedVectorReport.State.IN_USE) {
      throw new AssertionError("after more changes the vector is " + report.state());
    }
    int[] indices = Objects.requireNonNull(witnesses.indices());
    View wanted = View.of(last, several, indices);
    witnesses.checkGenerations(wanted);
    for (Survivor survivor : survivors) {
      View view = View.of(store(survivor), several, indices);
      Witnesses.same(survivor + " after more changes", view, wanted);
    }
    if (survivors.contains(Survivor.READER)) {
      new ShortLooks(hasty, indices).check(wanted);
    }
  }

  /**
   * What must be true if nobody survives: a vector that nobody is attached to is none for who
   * reads, can be removed, and begins anew for who writes.
   *
   * @param elsewhere where its files are to be then
   * @param removes whether it is removed
   */
  void dieOut(Path elsewhere, boolean removes) throws IOException {
    Path there = Files.createDirectories(elsewhere.resolve("own"));
    Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwx------"));
    // The same files under other names: so nobody who leaves takes them away.
    try (var files = Files.list(directory.resolve("own"))) {
      for (Path file : files.toList()) {
        Files.createLink(there.resolve(file.getFileName()), file);
      }
    }
    // As if killed: their places are not freed.
    open.forEach(store -> store.close(false));
    SharedVectorReport left = Soundness.look(elsewhere);
    if (!left.isSound() || left.state() == SharedVectorReport.State.IN_USE) {
      throw new AssertionError("what is left is " + left.state() + ": " + left.violations());
    }
    VectorFixture.fails(Errno.ENOENT, () -> NamedStores.vector(elsewhere, options, true));
    if (removes) {
      NamedVector.unlink(ShareDirectory.at(there), "domain", "vector", TestDomain.PATIENCE);
    } else {
      beginAnew(elsewhere);
    }
    try (var files = Files.list(there)) {
      if (files.findAny().isPresent()) {
        throw new AssertionError("files are left in " + there);
      }
    }
  }

  private void beginAnew(Path elsewhere) {
    try (NamedStore store = NamedStore.of(NamedStores.vector(elsewhere, options, false), options)) {
      if (store.size() != 0) {
        throw new AssertionError("there are " + store.size() + " entries of those who are dead");
      }
      Soundness.check(elsewhere);
      store.begin();
      change.prepare(store);
      change.apply(store);
      store.end();
      if (Soundness.check(elsewhere).state() != SharedVectorReport.State.IN_USE) {
        throw new AssertionError("what begins anew does not live");
      }
    }
  }

  /** Gives back the lock of a writer that died, if it had it, as the kernel would. */
  static void release(NamedVector vector) {
    try {
      vector.locks().fail();
    } catch (IllegalMonitorStateException | Steps.Death released) {
      // It was given back on the way, or without the store of a writer that fails and lives.
    }
  }

  private SharedVectorReport sound(String when) {
    SharedVectorReport report = Soundness.look(directory);
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
