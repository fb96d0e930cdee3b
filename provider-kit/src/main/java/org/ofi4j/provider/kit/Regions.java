// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions;

/**
 * The memory regions of a domain by their keys. Finding one takes no lock and makes no garbage.
 *
 * <p>The table has open addressing. The cell of a key stays when its region is closed, so that
 * searches go on behind it, and is used again for the same key; a table that is half full of cells
 * is replaced by one with those of open regions.
 */
public final class Regions {
  /** Touches the memory of regions, with a lock held. */
  public interface User {
    /** Returns when nothing that had begun before this call is still touching memory. */
    void awaitQuiet();
  }

  private static final int FIRST_SIZE = 16;
  private static final long MIXER = 0x9E37_79B9_7F4A_7C15L;

  private static final class Cell {
    final long key;
    volatile @Nullable RegisteredMemory region;

    Cell(long key) {
      this.key = key;
    }
  }

  private final Domain domain;
  private final AllocatedMemories<?> allocated;
  private final Supplier<@Nullable Thread> mover;

  // Written by one thread at a time; a cell is complete when it is stored (release).
  private volatile AtomicReferenceArray<@Nullable Cell> cells =
      new AtomicReferenceArray<>(FIRST_SIZE);

  // Guarded by the monitor of this object.
  private int used;
  private long registered;
  private int open;
  private final List<User> users = new ArrayList<>();
  private @Nullable SecureRandom random;

  /**
   * A table without regions.
   *
   * @param allocated the memory that the domain has allocated
   * @param mover returns the thread of automatic progress that touches regions; null if there is
   *     none
   */
  Regions(Domain domain, AllocatedMemories<?> allocated, Supplier<@Nullable Thread> mover) {
    this.domain = domain;
    this.allocated = allocated;
    this.mover = mover;
  }

  /**
   * Returns the open region with a key.
   *
   * @param key the key
   * @return the region; null if there is none
   */
  public @Nullable RegisteredMemory find(long key) {
    Cell cell = cell(key);
    RegisteredMemory region = cell == null ? null : cell.region;
    return region != null && region.isOpen() ? region : null;
  }

  private @Nullable Cell cell(long key) {
    AtomicReferenceArray<@Nullable Cell> table = cells;
    int at = place(key, table.length());
    Cell cell = table.getAcquire(at);
    while (cell != null && cell.key != key) {
      at = (at + 1) & (table.length() - 1);
      cell = table.getAcquire(at);
    }
    return cell;
  }

  private static int place(long key, int size) {
    return (int) ((key * MIXER) >>> 33) & (size - 1);
  }

  /**
   * Registers memory.
   *
   * @param peers the vector under whose authorization keys peers may reach it; null where there are
   *     no keys
   */
  KitRegion register(
      @Nullable MemorySegment memory, RegisterOptions options, @Nullable Peers peers) {
    MemorySegment given = PostedMemory.registrable(memory, options, mover.get());
    AllocatedMemory own =
        given.isNative() ? allocated.find(given.address(), given.byteSize()) : null;
    RegisteredMemory registered = add(given, options);
    KitRegion region = new KitRegion(domain, given, options, registered, options.vector(), own);
    try {
      registered.open(peers == null ? null : RegionKeys.hold(peers, options, region));
      return region;
    } catch (RuntimeException | Error refused) {
      region.close();
      throw refused;
    }
  }

  private synchronized RegisteredMemory add(MemorySegment memory, RegisterOptions options) {
    long key = options.key().orElseGet(this::unusedKey);
    if (2 * (used + 1) > cells.length()) {
      rebuild();
    }
    Cell cell = cell(key);
    if (cell == null) {
      cell = new Cell(key);
      store(cells, cell);
      used++;
    } else if (cell.region != null) {
      throw new FabricException(
          Errno.ENOKEY,
          "the key that is wanted is that of " + cell.region + " already: take another");
    }
    RegisteredMemory region =
        new RegisteredMemory(this, memory, options.access(), key, ++registered);
    cell.region = region;
    open++;
    return region;
  }

  /** Keys are all that keeps strangers from the memory, so they must not be guessed. */
  private long unusedKey() {
    SecureRandom source = random;
    if (source == null) {
      source = new SecureRandom();
      random = source;
    }
    long key;
    do {
      key = source.nextLong();
    } while (key == Handles.KEY_NOT_AVAILABLE || cell(key) != null);
    return key;
  }

  private static void store(AtomicReferenceArray<@Nullable Cell> table, Cell cell) {
    int at = place(cell.key, table.length());
    while (table.getPlain(at) != null) {
      at = (at + 1) & (table.length() - 1);
    }
    table.setRelease(at, cell);
  }

  private void rebuild() {
    AtomicReferenceArray<@Nullable Cell> old = cells;
    int size = FIRST_SIZE;
    while (size < 4 * (open + 1)) {
      size *= 2;
    }
    AtomicReferenceArray<@Nullable Cell> table = new AtomicReferenceArray<>(size);
    int kept = 0;
    for (int i = 0; i < old.length(); i++) {
      Cell cell = old.getPlain(i);
      if (cell != null && cell.region != null) {
        store(table, cell);
        kept++;
      }
    }
    cells = table;
    used = kept;
  }

  /** Forgets a region that is closed, and waits until no user touches its memory. */
  void remove(RegisteredMemory region) {
    List<User> all;
    synchronized (this) {
      Cell cell = cell(region.key());
      if (cell != null && region.equals(cell.region)) {
        cell.region = null;
        open--;
      }
      all = List.copyOf(users);
    }
    all.forEach(User::awaitQuiet);
  }

  /**
   * Has {@link Regions} wait for a user of the memory, from now on, before a region is closed.
   *
   * @param user the user, before it touches memory
   */
  public synchronized void join(User user) {
    users.add(user);
  }

  /**
   * Undoes {@link #join}.
   *
   * @param user the user, which touches no memory any more
   */
  public synchronized void leave(User user) {
    users.remove(user);
  }
}
