// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;

/**
 * The outcome of an insertion, from which handles and errors are computed: a range of any length
 * takes no more memory than its outcome has pieces. One thread fills it; {@link #complete}
 * publishes the outcome with a volatile store, and each reader loads that first.
 */
final class CoreInsertion implements Insertion {
  private final AddressSource source;
  private final HandleLayout layout;
  private final RangeOutcome outcome;

  /** The result of the C call; negative if that is the number of inserted addresses. */
  private int result = -1;

  private int inserted;
  private String shortage = "";
  private volatile boolean done;

  /** An insertion with an outcome that is still to be filled. */
  CoreInsertion(AddressSource source, HandleLayout layout, RangeOutcome outcome) {
    this.source = source;
    this.layout = layout;
    this.outcome = outcome;
  }

  /**
   * Returns an insertion with memory for an outcome of each address, so that an insertion under way
   * needs no more.
   *
   * @throws FabricException with {@link Errno#ENOMEM} if there are too many for the heap
   */
  static CoreInsertion ofEach(AddressSource source, HandleLayout layout) {
    try {
      return new CoreInsertion(source, layout, new RangeOutcome(source.count()));
    } catch (OutOfMemoryError tooMany) {
      throw new FabricException(
          Errno.ENOMEM,
          "the results of "
              + source.count()
              + " addresses do not fit the heap: insert fewer at once, or pass memory for handles",
          tooMany);
    }
  }

  /** Adds the outcome of the next address, an index or a negative errno. */
  void add(int next) {
    outcome.add(1, next);
  }

  /**
   * Sets the result of a C call that returns before the outcome is known; to be called before the
   * application gets the object.
   */
  void returning(int callResult) {
    result = callResult;
  }

  /**
   * Makes the outcome final. Addresses without one, as an insertion that failed leaves them, were
   * not tried.
   *
   * @param lacked the resource that failed insertions lacked, {@link EntryStore#shortage}
   */
  CoreInsertion complete(String lacked) {
    int missing = source.count() - outcome.count();
    if (missing > 0) {
      outcome.add(missing, EntryWriter.NOT_TRIED);
    }
    inserted = outcome.inserted();
    shortage = lacked;
    done = true;
    return this;
  }

  @Override
  public int result() {
    return result < 0 ? inserted() : result;
  }

  @Override
  public int requested() {
    return source.count();
  }

  @Override
  public int inserted() {
    return done ? inserted : 0;
  }

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public long handle(int position) {
    check(position);
    return done ? layout.handleOf(outcome.outcome(position)) : Handles.NOT_AVAILABLE;
  }

  @Override
  public int error(int position) {
    check(position);
    return done ? Math.max(0, -outcome.outcome(position)) : 0;
  }

  private void check(int position) {
    if (position < 0 || position >= requested()) {
      throw invalid("position " + position + " is not within 0 to " + (requested() - 1));
    }
  }

  /** Writes handles and errors for the caller, each into memory for all of them. */
  void write(@Nullable MemorySegment handles, @Nullable MemorySegment errors) {
    for (int piece = 0; piece < outcome.pieces(); piece++) {
      int first = outcome.first(piece);
      int start = outcome.start(piece);
      int end = outcome.end(piece);
      for (int i = start; i < end; i++) {
        layout.write(first < 0 ? first : first + i - start, i, handles, errors);
      }
    }
  }

  @Override
  public List<InsertionFailure> failures() {
    return inserted() == requested() || !done ? List.of() : new Failures();
  }

  @Override
  public String toString() {
    return done
        ? inserted + " of " + requested() + " addresses inserted"
        : requested() + " addresses, insertion under way";
  }

  /** The failures, each put in words when it is asked for. */
  private final class Failures extends AbstractList<InsertionFailure> implements RandomAccess {
    /** The positions of failed addresses, as the outcome of each failure. */
    private final RangeOutcome positions = new RangeOutcome();

    Failures() {
      for (int piece = 0; piece < outcome.pieces(); piece++) {
        if (outcome.first(piece) < 0) {
          positions.add(outcome.end(piece) - outcome.start(piece), outcome.start(piece));
        }
      }
    }

    @Override
    public int size() {
      return positions.count();
    }

    @Override
    public InsertionFailure get(int index) {
      int position = positions.outcome(Objects.checkIndex(index, size()));
      // One thread at a time may use a source.
      synchronized (source) {
        return source.failure(position, error(position), shortage);
      }
    }
  }
}
