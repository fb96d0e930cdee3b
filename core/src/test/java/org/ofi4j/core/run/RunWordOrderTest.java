// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A model of {@link Runs} and slots on processors with weak memory order: a writer that makes
 * changes in any order, and readers in all ways in which their loads may see its stores.
 *
 * <p>The store has two indices, each of which is an entry of a run, has a slot, or is unused. The
 * page of the second index is added when the index needs a slot. The runs are written to two arrays
 * alternately, so that each change uses the memory again that the change before has left. The model
 * takes each state that the writer can reach, makes each sequence of two changes, and runs each
 * reader beside it. It does so for stores where an address has one entry at most, and for those
 * where it may have several. For the latter it also makes each sequence of three replacements.
 *
 * <p>A load may return any store to its place unless the reader has seen a later one, or has
 * acquired a release that follows a later one. A store with release releases all stores before it,
 * and a store behind a fence those before the fence. A fence behind loads makes all of them
 * acquire.
 *
 * <p>An answer must have been right at a moment between the begin of the reader and the latest
 * store that it has seen. The model records separately which answers are right: an entry is added,
 * replaced or removed with one store. If an address has several entries, the cell names the lowest
 * of those with slots. Between the stores of slot and cell a search may find the lowest entry by
 * either, as the change is not complete.
 *
 * <p>The last load of the word is needed by a search, and by a lookup that combines a run with a
 * side word. A lookup of an address alone would be right without it, as it has found the slot empty
 * before it loaded the runs.
 */
class RunWordOrderTest {
  /** Faults planted in the model, each of which it must find. */
  enum Fault {
    NONE,
    // Faults of the writer.
    SLOT_BECOMES_0_BEFORE_RUN,
    RUN_IS_REMOVED_BEFORE_SLOT,
    NO_RELEASE_OF_WORD,
    NO_RELEASE_OF_SLOT,
    NO_FENCE_BEHIND_WORD,
    RUNS_ARE_CHANGED_IN_PLACE,
    NUMBER_IS_KEPT,
    WORD_IS_USED_AGAIN,
    NO_RENEWAL_FOR_PAGE,
    RENEWAL_FOR_PAGE_BEHIND_SLOT,
    NO_RENEWAL_BEFORE_REMOVAL,
    NO_RENEWAL_BEFORE_LEAVING,
    NO_RENEWAL_BEHIND_REPLACEMENT,
    CELL_BEHIND_SLOT,
    SHARES_ARE_CLEARED_BEFORE_SLOT,
    SHARES_OF_RUN_ARE_ADDED_AGAIN,
    // Faults of the readers.
    NO_ACQUIRE_OF_WORD,
    NO_FENCE_BEHIND_RUNS,
    NO_WORD_BEHIND_RUNS,
    LOOKUP_WITHOUT_SECOND_SLOT,
    COUNT_WITHOUT_LAST_WORD,
    NO_ORDER_OF_SLOT_AND_LAST_WORD,
    SEARCH_WITHOUT_LAST_WORD,
    SEARCH_LOADS_CELLS_BEFORE_RUNS,
    SEARCH_WITHOUT_SECOND_CELL,
    SHORT_WAY_LOADS_SLOT_BEFORE_RUNS,
    SHORT_WAY_LOADS_WORD_BEFORE_SLOT,
    SHORT_WAY_WITHOUT_WORD,
    SHORT_WAY_WITHOUT_ACQUIRE_OF_SLOT,
    SHORT_WAY_WITHOUT_PAGES_OF_RUNS
  }

  private static final int CHANGES = 2;
  private static final int INDICES = 2;

  // Addresses; searches are for the first one.
  private static final int NOTHING = 0;
  private static final int SOUGHT = 1;
  private static final int ADDRESSES = 3;

  /** The value that overwrites an array of runs when its memory is used for something else. */
  private static final int FOREIGN = -1;

  // Places of the model. Each index has a slot and a cell, each array a number and the address of
  // each index.

  private static final int WORD = 0;
  private static final int PAGE = 1;
  private static final int SLOTS = 2;
  private static final int CELLS = 4;
  private static final int NUMBERS = 6;
  private static final int RUNS = 8;
  private static final int SHARES = RUNS + 2 * INDICES;
  private static final int PLACES = SHARES + 1;

  /** One share of an entry of a run, in the array, where the bits below are the address. */
  private static final int SHARE = 1 << 4;

  /** A flag in the shares of the first index: they include those of the run. */
  private static final int ALL = 1 << 4;

  /** The shares of an index that has no entry. */
  private static final int DEAD = -1;

  // A slot is 0, or a generation, and an address or nothing.

  private static final int UNUSED = 1;
  private static final int GENERATION_BITS = 3;

  private static int slot(int generation, int address) {
    return generation << GENERATION_BITS | address << 1 | UNUSED;
  }

  private static int addressOf(int slot) {
    return slot >>> 1 & 3;
  }

  /** The array that a word leads to, from 1 on; 0 if there are no runs. */
  private static int unit(int word) {
    return word & 3;
  }

  /**
   * A store.
   *
   * @param released the last of the stores that a reader acquires with this one; -1 if there is
   *     none
   * @param right the address of each index from this store on
   * @param lowest the index that a search finds from this store on, or -1
   * @param shares the shares of the first index from this store on, beyond the first one
   * @param runs the runs that a word leads to
   */
  private record Store(
      int place,
      int value,
      int released,
      List<Integer> right,
      int lowest,
      int shares,
      @Nullable Snapshot runs) {}

  /** Runs: the address that each index has if its slot is 0, and the shares. */
  private record Snapshot(int word, int number, List<Integer> addresses) {
    int at(int index) {
      return addresses.get(index) & SHARE - 1;
    }

    int shares(int index) {
      return addresses.get(index) / SHARE;
    }
  }

  // The writer.

  /** A writer and its stores. */
  private static final class Writer {
    final Fault fault;
    final boolean several;
    final List<Store> stores = new ArrayList<>();
    final List<String> changes = new ArrayList<>();
    private final int[] latest = new int[PLACES];
    private final int[] generations = new int[INDICES];
    private final Integer[] right = new Integer[INDICES];

    /** Whether a search counts each index: an entry is the lowest from the store of the cell on. */
    private final boolean[] counted = new boolean[INDICES];

    /** The address of each index in a run, and the number of the run; 0 if there is none. */
    private final Integer[] addresses = new Integer[INDICES];

    private final int[] runs = new int[INDICES];

    /** The shares of the first index. */
    private int shares = DEAD;

    private int lastRun;
    private int memory;
    private int number;
    private int version;
    private int fence = -1;

    /** How many stores there were after the first change. */
    private int endOfFirst;

    private Snapshot present;

    Writer(Fault fault, boolean several) {
      this.fault = fault;
      this.several = several;
      Arrays.fill(right, NOTHING);
      Arrays.fill(addresses, NOTHING);
      begin();
    }

    /**
     * A writer that continues another one.
     *
     * @param begins whether readers see the last store to each place, and no earlier ones
     */
    Writer(Writer other, boolean begins) {
      this(other.fault, other.several);
      System.arraycopy(other.latest, 0, latest, 0, PLACES);
      System.arraycopy(other.right, 0, right, 0, INDICES);
      System.arraycopy(other.counted, 0, counted, 0, INDICES);
      System.arraycopy(other.addresses, 0, addresses, 0, INDICES);
      System.arraycopy(other.runs, 0, runs, 0, INDICES);
      System.arraycopy(other.generations, 0, generations, 0, INDICES);
      shares = other.shares;
      lastRun = other.lastRun;
      memory = other.memory;
      number = other.number;
      version = other.version;
      present = other.present;
      stores.clear();
      if (begins) {
        begin();
      } else {
        stores.addAll(other.stores);
        changes.addAll(other.changes);
        fence = other.fence;
        endOfFirst = other.endOfFirst;
      }
    }

    private void begin() {
      present = new Snapshot(latest[WORD], number, List.of(addresses));
      for (int place = 0; place < PLACES; place++) {
        store(place, latest[place], true);
      }
      fence = PLACES - 1;
    }

    /** Returns all that later changes depend on. */
    String state() {
      StringBuilder state = new StringBuilder();
      List<Integer> names = new ArrayList<>(List.of(NOTHING, SOUGHT));
      for (int i = 0; i < INDICES; i++) {
        int slot = latest[SLOTS + i];
        state.append(slot == 0 ? "run " : "slot ").append(name(addressOf(slot), names));
        state.append(' ').append(name(addresses[i] % SHARE, names)).append(' ');
        state.append(addresses[i] / SHARE).append(runs[i] != 0).append(latest[CELLS + i]);
      }
      return state
          .append(runs[0] == runs[1])
          .append(latest[PAGE] + SHARE * latest[SHARES])
          .toString();
    }

    /** Names an address; those that are not sought are named in the order in which they occur. */
    private static int name(int address, List<Integer> names) {
      if (!names.contains(address)) {
        names.add(address);
      }
      return names.indexOf(address);
    }

    private void store(int place, int value, boolean releases) {
      @Nullable Snapshot runsOfWord = place == WORD ? present : null;
      int released = releases ? stores.size() : fence;
      stores.add(new Store(place, value, released, List.of(right), lowest(), shares, runsOfWord));
      latest[place] = value;
    }

    private int lowest() {
      return counted[0] ? 0 : counted[1] ? 1 : -1;
    }

    private void storeSlot(int index, int value, int address) {
      right[index] = address;
      counted[index] = address == SOUGHT && !isHidden(index, value);
      if (index == 0) {
        shares = address == NOTHING ? DEAD : Math.max(shares, 0);
      }
      store(SLOTS + index, value, fault != Fault.NO_RELEASE_OF_SLOT);
    }

    private void storeWord(int unit) {
      version++;
      int word = fault == Fault.WORD_IS_USED_AGAIN ? unit : version << 2 | unit;
      present = new Snapshot(word, number, List.of(addresses));
      store(WORD, word, fault != Fault.NO_RELEASE_OF_WORD);
      if (fault != Fault.NO_FENCE_BEHIND_WORD) {
        fence = stores.size() - 1;
      }
    }

    private boolean hasRuns() {
      return unit(latest[WORD]) != 0;
    }

    private void renew() {
      storeWord(unit(latest[WORD]));
    }

    /** Writes all runs to the other array, and lets the word lead to it. */
    private void publish() {
      int before = unit(latest[WORD]);
      int unit = 0;
      if (runs[0] != 0 || runs[1] != 0) {
        memory = fault == Fault.RUNS_ARE_CHANGED_IN_PLACE ? memory : 1 - memory;
        number += fault == Fault.NUMBER_IS_KEPT ? 0 : 1;
        store(NUMBERS + memory, number, false);
        for (int i = 0; i < INDICES; i++) {
          store(RUNS + memory * INDICES + i, addresses[i], false);
        }
        unit = memory + 1;
      }
      storeWord(unit);
      if (before != 0 && before != unit) {
        store(RUNS + (before - 1) * INDICES, FOREIGN, false);
      }
    }

    /** Removes a run if all its indices have slots; returns whether it did. */
    private boolean removeIfLeft(int run) {
      boolean isLeft = run != 0;
      for (int i = 0; i < INDICES; i++) {
        isLeft &= runs[i] != run || latest[SLOTS + i] != 0;
      }
      for (int i = 0; isLeft && i < INDICES; i++) {
        if (runs[i] == run) {
          runs[i] = 0;
          addresses[i] = NOTHING;
        }
      }
      return isLeft;
    }

    private void leave(int run) {
      if (removeIfLeft(run)) {
        publish();
      }
    }

    /** Adds the page of an index; returns whether the word is still to be renewed. */
    private boolean ensurePage(int index) {
      if (index == 0 || latest[PAGE] != 0) {
        return false;
      }
      store(PAGE, 1, true);
      if (fault == Fault.RENEWAL_FOR_PAGE_BEHIND_SLOT) {
        return hasRuns();
      }
      if (hasRuns() && fault != Fault.NO_RENEWAL_FOR_PAGE) {
        renew();
      }
      return false;
    }

    // Changes.

    /** Makes each possible change in a copy of this writer, and passes the copy to a consumer. */
    void forEachChange(Consumer<Writer> consumer) {
      if (!several && shares == 0 && latest[SLOTS] == 0) {
        change("share 0", writer -> writer.share(1), consumer);
        if (addresses[0] < SHARE) {
          change("share run", Writer::shareRun, consumer);
        }
      }
      // The addresses that are not sought are alike, until one of them is used.
      int most = hasOthers() ? ADDRESSES : ADDRESSES - 1;
      for (int i = 0; i < INDICES; i++) {
        int index = i;
        if (right[i] != NOTHING && (i == 0 || addresses[i] < SHARE)) {
          change("remove " + i, writer -> writer.remove(index), consumer);
        }
        for (int a = 1; a <= most; a++) {
          int address = a;
          if (right[i] == NOTHING && isAllowed(a)) {
            change("insert " + a + " at " + i, w -> w.insert(index, address), consumer);
            change("run of " + a + " at " + i, w -> w.addRun(index, address), consumer);
          } else if (right[i] != NOTHING && right[i] != a && isAllowed(a)) {
            change(a + " replaces " + i, w -> w.replace(index, address), consumer);
          }
          for (int b = 1; i == 0 && b <= (a > SOUGHT ? ADDRESSES : most); b++) {
            int other = b;
            if (a != b && right[0] + right[1] == NOTHING) {
              change("run of " + a + ", " + b, w -> w.addRun(0, address, other), consumer);
            }
          }
        }
      }
    }

    private boolean hasOthers() {
      return stores.stream().anyMatch(store -> addressIn(store) > SOUGHT);
    }

    private static int addressIn(Store store) {
      if (store.place < SLOTS + INDICES) {
        return store.place < SLOTS ? NOTHING : addressOf(store.value);
      }
      return store.place < RUNS || store.place >= SHARES ? NOTHING : store.value % SHARE;
    }

    private boolean isAllowed(int address) {
      return several || !Arrays.asList(right).contains(address);
    }

    private void change(String name, Consumer<Writer> change, Consumer<Writer> consumer) {
      Writer changed = new Writer(this, false);
      changed.changes.add(name);
      change.accept(changed);
      if (changed.changes.size() == 1) {
        changed.endOfFirst = changed.stores.size();
      }
      consumer.accept(changed);
    }

    /** Adds a run as an insertion does: the slots become 0 after the run is added. */
    private void addRun(int first, int... added) {
      lastRun++;
      List<Integer> used = new ArrayList<>();
      for (int i = first; i < first + added.length; i++) {
        if (latest[SLOTS + i] != 0) {
          used.add(i);
        }
      }
      if (fault == Fault.SLOT_BECOMES_0_BEFORE_RUN) {
        used.forEach(i -> storeSlot(i, 0, NOTHING));
      }
      int[] before = runs.clone();
      for (int i = first; i < first + added.length; i++) {
        runs[i] = lastRun;
        addresses[i] = added[i - first];
        generations[i]++;
      }
      // A part that says nothing about its indices is not added.
      for (int run : before) {
        removeIfLeft(run == lastRun ? 0 : run);
      }
      List<Integer> live = new ArrayList<>(List.of(right));
      for (int i = first; i < first + added.length; i++) {
        if (!used.contains(i) || fault == Fault.SLOT_BECOMES_0_BEFORE_RUN) {
          live.set(i, added[i - first]);
        }
      }
      publish(live, 0);
      if (fault != Fault.SLOT_BECOMES_0_BEFORE_RUN) {
        used.forEach(i -> storeSlot(i, 0, added[i - first]));
      }
    }

    /**
     * Publishes all runs, with an effect on entries.
     *
     * @param live the address of each index from the store of the word on
     * @param moreShares added to the shares of the first index
     */
    private void publish(List<Integer> live, int moreShares) {
      List<Integer> before = List.of(right);
      int lowestBefore = lowest();
      int sharesBefore = shares;
      int from = stores.size();
      live.toArray(right);
      for (int i = 0; i < INDICES; i++) {
        counted[i] = right[i] == SOUGHT;
      }
      shares = live.get(0) == NOTHING ? DEAD : Math.max(shares, 0) + moreShares;
      publish();
      // The stores before that of the word change no answer.
      for (int i = from; stores.get(i).place != WORD; i++) {
        Store early = stores.get(i);
        stores.set(
            i,
            new Store(
                early.place,
                early.value,
                early.released,
                before,
                lowestBefore,
                sharesBefore,
                null));
      }
    }

    private void insert(int index, int address) {
      boolean late = ensurePage(index);
      show(index, address);
      if (late) {
        renew();
      }
    }

    /** Gives the first index more shares, or fewer. */
    private void share(int more) {
      shares += more;
      store(SHARES, latest[SHARES] + more, true);
    }

    /** Gives the entries of the run of the first index one more share. */
    private void shareRun() {
      int run = runs[0];
      for (int i = 0; i < INDICES; i++) {
        addresses[i] += runs[i] == run ? SHARE : 0;
      }
      publish(List.of(right), 1);
    }

    private void clearShares() {
      if (latest[SHARES] != 0) {
        store(SHARES, 0, true);
      }
    }

    private void remove(int index) {
      if (index == 0 && shares > 0) {
        share(-1);
        return;
      }
      int run = latest[SLOTS + index] == 0 ? runs[index] : 0;
      int address = right[index];
      boolean late = ensurePage(index);
      if (run != 0 && several && fault != Fault.NO_RENEWAL_BEFORE_REMOVAL) {
        renew();
      }
      boolean hasCell = run == 0 && leaveCompanions(index, address);
      if (index == 0 && fault == Fault.SHARES_ARE_CLEARED_BEFORE_SLOT) {
        clearShares();
      }
      Runnable removal = () -> storeSlot(index, slot(++generations[index], NOTHING), NOTHING);
      removeFromRun(run, index, removal);
      if (index == 0) {
        clearShares();
      }
      if (hasCell && several) {
        store(CELLS, 0, true);
      }
      if (late) {
        renew();
      }
    }

    /** Makes the store with which an index leaves its run, if it has one, and updates the run. */
    private void removeFromRun(int run, int index, Runnable store) {
      if (fault == Fault.RUN_IS_REMOVED_BEFORE_SLOT && run != 0 && isLast(run, index)) {
        runs[index] = 0;
        addresses[index] = NOTHING;
        publish();
      }
      store.run();
      if (run != 0) {
        leave(run);
      }
    }

    /** Returns whether no other index is in a run. */
    private boolean isLast(int run, int index) {
      return runs[1 - index] != run;
    }

    private void replace(int index, int address) {
      int run = latest[SLOTS + index] == 0 ? runs[index] : 0;
      if (run == 0) {
        replaceInSlot(index, address);
      } else {
        boolean late = ensurePage(index);
        if (several && fault != Fault.NO_RENEWAL_BEFORE_LEAVING) {
          renew();
        }
        if (index == 0 && (shares > 0 || latest[SHARES] != 0)) {
          store(SHARES, shares + (fault == Fault.SHARES_OF_RUN_ARE_ADDED_AGAIN ? 0 : ALL), true);
        }
        removeFromRun(run, index, () -> show(index, address));
        if (late) {
          renew();
        }
      }
      if (several && fault != Fault.NO_RENEWAL_BEHIND_REPLACEMENT) {
        renew();
      }
    }

    private void show(int index, int address) {
      int root = prepareCell(index, address);
      storeSlot(index, slot(generations[index], address), address);
      finishCell(index, address, root);
    }

    private void replaceInSlot(int index, int address) {
      int before = right[index];
      boolean hadCell = leaveCompanions(index, before);
      int root = prepareCell(index, address);
      storeSlot(index, slot(generations[index], address), address);
      finishCell(index, address, root);
      if (hadCell) {
        store(several ? CELLS : CELLS + index, 0, true);
      }
    }

    // Cells. If an address may have several entries, one cell names the lowest of those with slots;
    // otherwise each index may have a cell.

    /** Returns whether a search finds another entry until the cell is stored. */
    private boolean isHidden(int index, int slot) {
      return several && slot != 0 && latest[CELLS] > index + 1;
    }

    private int prepareCell(int index, int address) {
      int root = several ? latest[CELLS] : 0;
      if (address == SOUGHT && root == 0 && fault != Fault.CELL_BEHIND_SLOT) {
        store(several ? CELLS : CELLS + index, index + 1, false);
      }
      return root;
    }

    private void finishCell(int index, int address, int root) {
      if (address == SOUGHT && (root > index + 1 || fault == Fault.CELL_BEHIND_SLOT)) {
        counted[index] = true;
        store(several ? CELLS : CELLS + index, index + 1, true);
      }
    }

    /** Lets the cell name the other entry, if there is one; returns whether it names this one. */
    private boolean leaveCompanions(int index, int address) {
      int other = 1 - index;
      if (address != SOUGHT) {
        return false;
      }
      if (!several || addressOf(latest[SLOTS + other]) != SOUGHT) {
        return true;
      }
      if (latest[CELLS] == index + 1) {
        counted[index] = false;
        store(CELLS, other + 1, true);
      }
      return false;
    }
  }

  // Readers.

  /** A reader, by the stores that it has seen. Immutable. */
  private static final class Reader {
    /** The latest store that was acquired, with all stores before it. */
    private final int acquired;

    /** The latest store that a fence would acquire. */
    private final int loaded;

    /** The latest store that was loaded. */
    private final int last;

    /** The latest store of each place that was loaded. */
    private final int[] seen;

    Reader(int acquired, int loaded, int last, int[] seen) {
      this.acquired = acquired;
      this.loaded = loaded;
      this.last = last;
      this.seen = seen;
    }

    /** Returns this reader behind a fence. */
    Reader fenced() {
      return new Reader(Math.max(acquired, loaded), loaded, last, seen);
    }

    /** Returns this reader after it has acquired a store and all stores before it. */
    Reader after(int store) {
      int then = Math.max(acquired, store);
      return new Reader(then, Math.max(loaded, store), Math.max(last, store), seen);
    }
  }

  private interface Loaded {
    void then(Reader reader, int value);
  }

  private interface LoadedRuns {
    void then(Reader reader, Snapshot runs);
  }

  private final List<String> wrong = new ArrayList<>();
  private Fault fault = Fault.NONE;
  private Writer writer = new Writer(Fault.NONE, false);
  private List<Store> stores = List.of();
  private final int[][] ofPlace = new int[PLACES][];
  private int begin;

  @ParameterizedTest
  @EnumSource
  void readersBesideChangesAnswerRight(Fault planted) {
    fault = planted;
    List<Writer> states = states(false);
    List<Writer> others = states(true);
    for (int i = 0; i < Math.max(states.size(), others.size()); i++) {
      if (i < states.size()) {
        follow(states.get(i), CHANGES, false);
      }
      if (i < others.size()) {
        follow(others.get(i), CHANGES, false);
        follow(others.get(i), CHANGES + 1, true);
      }
    }
    assertThat(wrong.isEmpty()).as("%s", wrong).isEqualTo(planted == Fault.NONE);
  }

  /** Returns a writer in each state that can be reached. */
  private List<Writer> states(boolean several) {
    Map<String, Writer> states = new HashMap<>();
    List<Writer> all = new ArrayList<>(List.of(new Writer(fault, several)));
    states.put(all.getFirst().state(), all.getFirst());
    for (int i = 0; i < all.size(); i++) {
      all.get(i)
          .forEachChange(changed -> {
            Writer next = new Writer(changed, true);
            if (states.putIfAbsent(next.state(), next) == null) {
              all.add(next);
            }
          });
    }
    return all;
  }

  /**
   * Makes changes in all ways, and runs all readers beside them.
   *
   * @param more how many changes
   * @param replacements whether all of them are replacements
   */
  private void follow(Writer from, int more, boolean replacements) {
    if (!wrong.isEmpty()) {
      return;
    }
    if (more > 0) {
      from.forEachChange(changed -> {
        if (!replacements || changed.changes.getLast().contains("replaces")) {
          follow(changed, more - 1, replacements);
        }
      });
      return;
    }
    writer = from;
    stores = from.stores;
    groupByPlace();
    boolean shared = stores.stream().anyMatch(RunWordOrderTest::hasShares);
    // A reader that begins later is the same beside the state after the first change.
    for (begin = PLACES - 1; begin < from.endOfFirst - 1; begin++) {
      Reader reader = new Reader(begin, begin, begin, new int[PLACES]);
      for (int i = 0; i < INDICES; i++) {
        lookUp(reader, i);
        lookUpShortly(reader, i);
      }
      search(reader, 0);
      if (from.several) {
        search(reader, 1);
      } else {
        searchShortly(reader);
      }
      if (shared) {
        count(reader);
      }
    }
  }

  private static boolean hasShares(Store store) {
    return store.shares > 0 || (store.place == SHARES && store.value != 0);
  }

  private void groupByPlace() {
    int[] counts = new int[PLACES];
    for (Store store : stores) {
      counts[store.place]++;
    }
    for (int place = 0; place < PLACES; place++) {
      ofPlace[place] = new int[counts[place]];
    }
    for (int i = stores.size() - 1; i >= 0; i--) {
      int place = stores.get(i).place;
      ofPlace[place][--counts[place]] = i;
    }
  }

  /** Loads from a place in all ways. */
  private void load(Reader reader, int place, boolean acquires, Loaded then) {
    load(reader, place, acquires, value -> true, then);
  }

  /** Loads from a place in all ways, and continues if the value is accepted. */
  private void load(Reader reader, int place, boolean acquires, IntPredicate accepts, Loaded then) {
    int[] candidates = ofPlace[place];
    int i = candidates.length - 1;
    while (candidates[i] > reader.acquired && candidates[i] > reader.seen[place]) {
      i--;
    }
    for (; i < candidates.length; i++) {
      int store = candidates[i];
      Store found = stores.get(store);
      if (!accepts.test(found.value)) {
        continue;
      }
      int[] seen = reader.seen.clone();
      seen[place] = store;
      int loaded = Math.max(reader.loaded, found.released);
      int acquired = acquires ? Math.max(reader.acquired, found.released) : reader.acquired;
      then.then(new Reader(acquired, loaded, Math.max(reader.last, store), seen), found.value);
    }
  }

  /** Loads the word, and continues if it is the given one. */
  private void loadWord(Reader reader, boolean acquires, int word, Consumer<Reader> then) {
    load(reader, WORD, acquires, value -> value == word, (after, value) -> then.accept(after));
  }

  /** Loads a slot; the value is 0 if the page is absent. */
  private void loadSlot(Reader reader, int index, boolean acquires, Loaded then) {
    if (index == 0) {
      load(reader, SLOTS, acquires, then);
      return;
    }
    load(
        reader,
        PAGE,
        acquires,
        (after, page) -> {
          if (page == 0) {
            then.then(after, 0);
          } else {
            load(after, SLOTS + index, acquires, then);
          }
        });
  }

  /** Loads the runs as {@link Runs#present} does, with any runs that are known already. */
  private void loadRuns(Reader reader, LoadedRuns then) {
    load(
        reader,
        WORD,
        fault != Fault.NO_ACQUIRE_OF_WORD,
        (after, word) -> {
          for (int store : ofPlace[WORD]) {
            Snapshot known = runs(store);
            if (known.word == word) {
              then.then(after.after(store), known);
            }
          }
          readRuns(after, word, then);
        });
  }

  private Snapshot runs(int store) {
    Snapshot runs = stores.get(store).runs;
    if (runs == null) {
      throw new IllegalStateException("store " + store + " is of no word");
    }
    return runs;
  }

  private void readRuns(Reader reader, int word, LoadedRuns then) {
    if (unit(word) == 0) {
      confirm(reader, word, new Snapshot(word, 0, List.of(NOTHING, NOTHING)), then);
      return;
    }
    int memory = unit(word) - 1;
    load(
        reader,
        NUMBERS + memory,
        false,
        (after, number) -> {
          for (int store : ofPlace[WORD]) {
            Snapshot known = runs(store);
            if (unit(known.word) == unit(word) && known.number == number && known.word != word) {
              confirm(after.after(store), word, new Snapshot(word, number, known.addresses), then);
            }
          }
          load(
              after,
              RUNS + memory * INDICES,
              false,
              (next, first) ->
                  load(
                      next,
                      RUNS + memory * INDICES + 1,
                      false,
                      (end, second) ->
                          confirm(
                              end,
                              word,
                              new Snapshot(word, number, List.of(first, second)),
                              then)));
        });
  }

  /** Loads the word again, which makes these runs known to other threads. */
  private void confirm(Reader reader, int word, Snapshot runs, LoadedRuns then) {
    Consumer<Reader> known =
        after -> {
          checkRuns(runs);
          then.then(after, runs);
        };
    if (fault == Fault.NO_WORD_BEHIND_RUNS) {
      known.accept(reader);
      return;
    }
    Reader before = fault == Fault.NO_FENCE_BEHIND_RUNS ? reader : reader.fenced();
    loadWord(before, false, word, known);
  }

  private void checkRuns(Snapshot runs) {
    boolean isRight = false;
    for (int store : ofPlace[WORD]) {
      Snapshot there = runs(store);
      isRight |= there.word == runs.word && there.addresses.equals(runs.addresses);
    }
    if (!isRight) {
      report("runs", runs.toString(), begin);
    }
  }

  private void lookUp(Reader reader, int index) {
    loadSlot(
        reader,
        index,
        true,
        (first, slot) -> {
          if (slot != 0) {
            checkLookup("lookup", index, addressOf(slot), first);
            return;
          }
          loadRuns(
              first,
              (after, runs) -> {
                if (fault == Fault.LOOKUP_WITHOUT_SECOND_SLOT) {
                  confirmLookup(after, index, runs);
                  return;
                }
                loadSlot(
                    after,
                    index,
                    fault != Fault.NO_ORDER_OF_SLOT_AND_LAST_WORD,
                    (then, again) -> {
                      if (again == 0) {
                        confirmLookup(then, index, runs);
                      }
                    });
              });
        });
  }

  private void confirmLookup(Reader reader, int index, Snapshot runs) {
    confirmLast(reader, false, runs, last -> checkLookup("lookup", index, runs.at(index), last));
  }

  /** Counts the shares of the first index if it is an entry of a run. */
  private void count(Reader reader) {
    LoadedRuns ifEmpty =
        (after, runs) ->
            load(
                after,
                SHARES,
                true,
                (then, own) ->
                    loadEmptySlot(
                        then,
                        last ->
                            confirmLast(
                                last,
                                fault == Fault.COUNT_WITHOUT_LAST_WORD,
                                runs,
                                end -> checkCount(shares(runs, own), end))));
    loadEmptySlot(reader, first -> loadRuns(first, ifEmpty));
  }

  private static int shares(Snapshot runs, int own) {
    if (runs.at(0) == NOTHING) {
      return DEAD;
    }
    return own >= ALL / 2 ? own - ALL : own + runs.shares(0);
  }

  private void loadEmptySlot(Reader reader, Consumer<Reader> then) {
    loadSlot(
        reader,
        0,
        true,
        (after, slot) -> {
          if (slot == 0) {
            then.accept(after);
          }
        });
  }

  private void confirmLast(Reader reader, boolean leftOut, Snapshot runs, Consumer<Reader> then) {
    if (leftOut) {
      then.accept(reader);
      return;
    }
    boolean unordered = fault == Fault.NO_ORDER_OF_SLOT_AND_LAST_WORD;
    loadWord(unordered ? reader : reader.fenced(), false, runs.word, then);
  }

  /** Looks an index up as {@link Runs#ipv4InOrder} does: known runs, slot, word. */
  private void lookUpShortly(Reader reader, int index) {
    for (int store : ofPlace[WORD]) {
      Snapshot known = runs(store);
      if (known.at(index) == NOTHING) {
        continue;
      }
      Consumer<Reader> answer = last -> checkLookup("short lookup", index, known.at(index), last);
      switch (fault) {
        case SHORT_WAY_LOADS_SLOT_BEFORE_RUNS ->
            loadKnownSlot(
                reader, index, -1, then -> loadWord(then.after(store), true, known.word, answer));
        case SHORT_WAY_LOADS_WORD_BEFORE_SLOT ->
            loadWord(
                reader.after(store),
                true,
                known.word,
                then -> loadKnownSlot(then, index, store, answer));
        case SHORT_WAY_WITHOUT_WORD -> loadKnownSlot(reader.after(store), index, store, answer);
        default ->
            loadKnownSlot(
                reader.after(store),
                index,
                store,
                then -> loadWord(then, true, known.word, answer));
      }
    }
  }

  /**
   * Loads a slot from the pages that are known, and continues if it is 0.
   *
   * @param pages the store before which all pages are known
   */
  private void loadKnownSlot(Reader reader, int index, int pages, Consumer<Reader> then) {
    boolean acquires = fault != Fault.SHORT_WAY_WITHOUT_ACQUIRE_OF_SLOT;
    Loaded ifEmpty =
        (after, slot) -> {
          if (slot == 0) {
            then.accept(after);
          }
        };
    if (index == 0) {
      load(reader, SLOTS, acquires, ifEmpty);
      return;
    }
    int known = fault == Fault.SHORT_WAY_WITHOUT_PAGES_OF_RUNS ? -1 : pages;
    for (int store : ofPlace[PAGE]) {
      boolean there = stores.get(store).value != 0;
      if (there) {
        load(reader.after(store), SLOTS + index, acquires, ifEmpty);
      } else if (Arrays.stream(ofPlace[PAGE]).allMatch(i -> i == store || i > known)) {
        then.accept(reader);
      }
    }
  }

  /**
   * Searches as {@code EntryLookups} does.
   *
   * @param from the index whose cell and run are searched first
   */
  private void search(Reader reader, int from) {
    if (fault == Fault.SEARCH_LOADS_CELLS_BEFORE_RUNS) {
      searchCells(
          reader,
          from,
          0,
          (after, index) -> loadRuns(after, (then, runs) -> searchRuns(then, runs, from, index)));
      return;
    }
    loadRuns(
        reader,
        (after, runs) ->
            searchCells(after, from, 0, (then, index) -> searchRuns(then, runs, from, index)));
  }

  /** Searches all cells; the value is the index that was found, or -1. */
  private void searchCells(Reader reader, int from, int done, Loaded then) {
    if (done == (writer.several ? 1 : INDICES)) {
      then.then(reader.fenced(), -1);
      return;
    }
    int place = CELLS + (writer.several ? 0 : from ^ done);
    load(
        reader,
        place,
        false,
        (after, cell) -> {
          if (cell == 0) {
            searchCells(after, from, done + 1, then);
          } else {
            searchSlot(
                after.fenced(), place, cell, then, last -> searchCells(last, from, done + 1, then));
          }
        });
  }

  private void searchSlot(
      Reader reader, int place, int cell, Loaded found, Consumer<Reader> notFound) {
    loadSlot(
        reader,
        cell - 1,
        true,
        (after, slot) -> {
          if (addressOf(slot) == SOUGHT) {
            found.then(after, cell - 1);
          } else if (fault == Fault.SEARCH_WITHOUT_SECOND_CELL) {
            notFound.accept(after);
          } else {
            load(
                after,
                place,
                true,
                (next, same) -> {
                  if (same == cell) {
                    loadSlot(
                        next,
                        cell - 1,
                        true,
                        (last, again) -> {
                          if (again == slot) {
                            notFound.accept(last);
                          }
                        });
                  }
                });
          }
        });
  }

  private void searchRuns(Reader reader, Snapshot runs, int from, int inCells) {
    if (inCells >= 0 && !writer.several) {
      checkSearch(inCells, reader);
      return;
    }
    searchRun(
        reader,
        runs,
        from,
        (first, one) ->
            searchRun(
                first,
                runs,
                1 - from,
                (second, other) -> {
                  int found = least(inCells, least(one, other));
                  confirmLast(
                      second,
                      fault == Fault.SEARCH_WITHOUT_LAST_WORD,
                      runs,
                      last -> checkSearch(found, last));
                }));
  }

  private static int least(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
  }

  /** Searches the run of an index; the value is the index if it has the address, or -1. */
  private void searchRun(Reader reader, Snapshot runs, int index, Loaded then) {
    if (runs.at(index) != SOUGHT) {
      then.then(reader, -1);
      return;
    }
    boolean ordered = fault != Fault.NO_ORDER_OF_SLOT_AND_LAST_WORD;
    loadSlot(reader, index, ordered, (after, slot) -> then.then(after, slot == 0 ? index : -1));
  }

  /** Searches as {@link Runs#findIpv4(long)} does: known runs, slot, word. */
  private void searchShortly(Reader reader) {
    for (int store : ofPlace[WORD]) {
      Snapshot known = runs(store);
      for (int i = 0; i < INDICES; i++) {
        int index = i;
        searchRun(
            reader.after(store),
            known,
            index,
            (after, found) -> {
              if (found >= 0) {
                confirmLast(after, false, known, last -> checkSearch(index, last));
              }
            });
      }
    }
  }

  // Answers.

  private void checkLookup(String name, int index, int answer, Reader reader) {
    if (!wasRight(reader, i -> stores.get(i).right.get(index) == answer)) {
      report(name + " of " + index, Integer.toString(answer), reader.last);
    }
  }

  private void checkCount(int answer, Reader reader) {
    if (!wasRight(reader, i -> stores.get(i).shares == answer)) {
      report("count", Integer.toString(answer), reader.last);
    }
  }

  private void checkSearch(int answer, Reader reader) {
    if (!wasRight(reader, i -> isFound(stores.get(i), answer))) {
      report("search", Integer.toString(answer), reader.last);
    }
  }

  /** Between the stores of a slot and a cell, a search may find the entry or the one before. */
  private static boolean isFound(Store store, int answer) {
    return store.lowest == answer || store.right.indexOf(SOUGHT) == answer;
  }

  private boolean wasRight(Reader reader, IntPredicate right) {
    for (int i = reader.last; i >= begin; i--) {
      if (right.test(i)) {
        return true;
      }
    }
    return false;
  }

  private void report(String reader, String answer, int last) {
    if (wrong.isEmpty()) {
      wrong.add(
          "%s answers %s between stores %d and %d, %s: %s; %s"
              .formatted(
                  reader,
                  answer,
                  begin,
                  last,
                  writer.several,
                  writer.changes,
                  stores.subList(PLACES, stores.size())));
    }
  }
}
