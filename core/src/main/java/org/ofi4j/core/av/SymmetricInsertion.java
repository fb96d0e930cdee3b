// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.source.SymmetricBox;
import org.ofi4j.core.store.EntryStore;

/**
 * The outcome of a symmetric insertion of numeric nodes: what the store says of the box of
 * addresses that exist, from which handles and errors are computed. So it takes no more memory than
 * the outcome has pieces. Immutable.
 */
final class SymmetricInsertion implements Insertion {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int NOT_TRIED = -Errno.ECANCELED.number();
  private static final int NO_ADDRESS = -Errno.EADDRNOTAVAIL.number();

  private final AddressSource source;
  private final SymmetricBox box;
  private final RangeOutcome outcome;
  private final HandleLayout layout;
  private final int inserted;
  private final String shortage;

  /** How many positions were tried: none behind that at which memory ran out, in the box or not. */
  private final int tried;

  /**
   * An outcome.
   *
   * @param outcome what became of those in the box
   * @param shortage what others found none of, {@link EntryStore#shortage}
   */
  SymmetricInsertion(
      AddressSource source,
      SymmetricBox box,
      RangeOutcome outcome,
      HandleLayout layout,
      String shortage) {
    this.source = source;
    this.box = box;
    this.outcome = outcome;
    this.layout = layout;
    this.shortage = shortage;
    this.inserted = outcome.inserted();
    this.tried = tried(box, outcome);
  }

  private static int tried(SymmetricBox box, RangeOutcome outcome) {
    for (int piece = 0; piece < outcome.pieces(); piece++) {
      if (outcome.first(piece) == NO_MEMORY) {
        return box.outside(outcome.start(piece)) + 1;
      }
    }
    return box.count();
  }

  @Override
  public int result() {
    return inserted;
  }

  @Override
  public int requested() {
    return box.count();
  }

  @Override
  public int inserted() {
    return inserted;
  }

  @Override
  public boolean isDone() {
    return true;
  }

  @Override
  public long handle(int position) {
    return handleOf(outcome(position));
  }

  private long handleOf(int found) {
    return found < 0 ? Handles.NOT_AVAILABLE : layout.handle(found);
  }

  @Override
  public int error(int position) {
    return Math.max(0, -outcome(position));
  }

  private int outcome(int position) {
    if (position < 0 || position >= box.count()) {
      throw invalid("position " + position + " is not within 0 to " + (box.count() - 1));
    }
    if (position >= tried) {
      return NOT_TRIED;
    }
    int inside = box.inside(position);
    return inside < 0 ? NO_ADDRESS : outcome.outcome(inside);
  }

  @Override
  public long[] handles() {
    long[] handles = new long[requested()];
    write(MemorySegment.ofArray(handles), null);
    return handles;
  }

  /** Writes handles and errors for the caller, each into memory for all of them. */
  void write(@Nullable MemorySegment handles, @Nullable MemorySegment errors) {
    int end;
    for (int at = 0; at < box.count(); at = end) {
      end = end(at);
      int found = outcome(at);
      int step = found < 0 ? 0 : 1;
      for (int i = at; i < end && handles != null; i++) {
        handles.setAtIndex(JAVA_LONG_UNALIGNED, i, handleOf(found + (i - at) * step));
      }
      for (int i = at; i < end && errors != null; i++) {
        errors.setAtIndex(JAVA_INT_UNALIGNED, i, Math.max(0, -found));
      }
    }
  }

  /** Returns where outcomes end that go on as one does, with the next indices or its errno. */
  private int end(int position) {
    if (position >= tried) {
      return box.count();
    }
    int end = Math.min(box.rowEnd(position), tried);
    int inside = box.inside(position);
    return inside < 0
        ? end
        : Math.min(end, position + outcome.end(outcome.pieceOf(inside)) - inside);
  }

  @Override
  public List<InsertionFailure> failures() {
    return inserted == requested() ? List.of() : new Failures();
  }

  @Override
  public String toString() {
    return inserted + " of " + requested() + " addresses inserted";
  }

  /** The failures, each put in words when it is asked for. */
  private final class Failures extends AbstractList<InsertionFailure> implements RandomAccess {
    /** How many addresses were inserted before each piece. */
    private final int[] insertedBefore = new int[outcome.pieces() + 1];

    Failures() {
      for (int piece = 0; piece < outcome.pieces(); piece++) {
        int length = outcome.end(piece) - outcome.start(piece);
        insertedBefore[piece + 1] = insertedBefore[piece] + (outcome.first(piece) < 0 ? 0 : length);
      }
    }

    @Override
    public int size() {
      return requested() - inserted;
    }

    @Override
    public InsertionFailure get(int index) {
      int position = position(Objects.checkIndex(index, size()));
      return source.failure(position, error(position), shortage);
    }

    /** The position that has so many failures before it, and is one. */
    private int position(int failures) {
      int low = 0;
      int high = requested() - 1;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (failuresTo(middle) > failures) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    /** How many addresses failed up to a position, this one included. */
    private int failuresTo(int position) {
      int inside = box.before(position) + (box.inside(position) < 0 ? 0 : 1);
      if (inside == outcome.count()) {
        return position + 1 - inserted;
      }
      int piece = outcome.pieceOf(inside);
      int within = outcome.first(piece) < 0 ? 0 : inside - outcome.start(piece);
      return position + 1 - insertedBefore[piece] - within;
    }
  }
}
