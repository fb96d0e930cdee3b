// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;

/**
 * The outcome of an insertion in two arrays. They are written by one thread; {@link #complete}
 * publishes them with a volatile store, which every reader looks at first.
 */
final class ArrayInsertion implements Insertion {
  private final AddressSource source;
  private final long[] handles;
  private final int[] errors;
  private int result;
  private int inserted;
  private String shortage = "";
  private volatile boolean done;

  /**
   * An outcome that is still open.
   *
   * @throws FabricException with {@link Errno#ENOMEM} if there are too many for the heap
   */
  ArrayInsertion(AddressSource source) {
    this.source = source;
    try {
      this.handles = new long[source.count()];
      this.errors = new int[source.count()];
    } catch (OutOfMemoryError tooMany) {
      throw new FabricException(
          Errno.ENOMEM,
          "the results of "
              + source.count()
              + " addresses do not fit the heap: insert fewer at once, or pass memory for handles",
          tooMany);
    }
    Arrays.fill(handles, Handles.NOT_AVAILABLE);
  }

  /** Where handles go; holds user ids on input. */
  MemorySegment handleMemory() {
    return MemorySegment.ofArray(handles);
  }

  /** Where errors go. */
  MemorySegment errorMemory() {
    return MemorySegment.ofArray(errors);
  }

  /** Sets what the C call would have returned; before the object is given away. */
  ArrayInsertion returning(int callResult) {
    result = callResult;
    return this;
  }

  /**
   * Makes handles and errors final.
   *
   * @param lacked what others found none of, {@link EntryStore#shortage}
   */
  void complete(int insertedCount, String lacked) {
    inserted = insertedCount;
    shortage = lacked;
    done = true;
  }

  @Override
  public int result() {
    return result;
  }

  @Override
  public int requested() {
    return handles.length;
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
    return done ? handles[position] : Handles.NOT_AVAILABLE;
  }

  @Override
  public int error(int position) {
    check(position);
    return done ? errors[position] : 0;
  }

  private void check(int position) {
    if (position < 0 || position >= handles.length) {
      throw invalid("position " + position + " is not within 0 to " + (handles.length - 1));
    }
  }

  @Override
  public synchronized List<InsertionFailure> failures() {
    // Synchronized because sources are for one thread at a time.
    if (!done) {
      return List.of();
    }
    List<InsertionFailure> failures = new ArrayList<>();
    for (int i = 0; i < errors.length; i++) {
      if (errors[i] != 0) {
        failures.add(source.failure(i, errors[i], shortage));
      }
    }
    return Collections.unmodifiableList(failures);
  }

  @Override
  public String toString() {
    return done
        ? inserted + " of " + handles.length + " addresses inserted"
        : handles.length + " addresses, insertion under way";
  }
}
