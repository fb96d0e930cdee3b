// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ofi4j.AddressVector;
import org.ofi4j.Handles;
import org.ofi4j.SharedVectorReport;

/**
 * Holds a vector against the journals of those that are dead: what was confirmed is there, what was
 * announced is there or not, nothing else is. The dead are judged again after each of the next
 * kills; then their entries are removed.
 */
final class Referee {
  /** The dead of so many kills stay. */
  private static final int KEPT = 12;

  /** Findings beyond these say nothing new. */
  private static final int MOST_FINDINGS = 50;

  private final String name;
  private final ChaosVector writing;
  private final ChaosVector reading;
  private final Deque<WatchedProcess> dead = new ArrayDeque<>();
  private final List<String> violations = new ArrayList<>();
  private long judged;
  private int verifications;

  /** A referee of a vector, as one has it who changes it, and as one who only reads. */
  Referee(String name, ChaosVector writing, ChaosVector reading) {
    this.name = name;
    this.writing = writing;
    this.reading = reading;
  }

  List<String> violations() {
    return violations;
  }

  /** How many confirmed entries were looked for. */
  long judged() {
    return judged;
  }

  /** How often the files were checked. */
  int verifications() {
    return verifications;
  }

  /** Remembers something that is not as it must be. */
  void found(String violation) {
    if (violations.size() < MOST_FINDINGS && !violations.contains(violation)) {
      violations.add(violation);
    }
  }

  /** Checks everything that the files must be, whoever uses them. */
  void verify(String when) {
    SharedVectorReport report = writing.all().verify(name, ChaosVector.PATIENCE);
    verifications++;
    report.violations().forEach(violation -> found(when + ": " + violation));
  }

  /** Changes something and takes it back, which waits for the lock and repairs what is broken. */
  void change() {
    AddressVector vector = writing.vector();
    // A number that no process has.
    long handle = vector.insert(ChaosAddresses.of(ChaosAddresses.scattered(0, 0)));
    vector.remove(handle);
  }

  /** Takes a process that is dead, and judges all that are. */
  void judge(WatchedProcess killed, boolean byReader) {
    dead.addLast(killed);
    AddressVector vector = (byReader ? reading : writing).vector();
    dead.forEach(each -> judge(each, vector));
    if (dead.size() > KEPT) {
      bury(dead.removeFirst());
    }
  }

  private void judge(WatchedProcess process, AddressVector vector) {
    for (Map.Entry<Long, Long> entry : process.confirmed().entrySet()) {
      judged++;
      long word = entry.getKey();
      long handle = entry.getValue();
      long there = ChaosAddresses.read(vector, handle);
      long at = vector.find(ChaosAddresses.of(word));
      if (there != word || at != handle) {
        found(
            "%s was confirmed to process %s at %s: there is %s, and it is found at %s"
                .formatted(
                    ChaosAddresses.text(word),
                    process.number(),
                    handle,
                    there < 0 ? "nothing" : ChaosAddresses.text(there),
                    at));
      }
    }
    for (long word : process.uncertain()) {
      long at = vector.find(ChaosAddresses.of(word));
      if (at != Handles.NOT_AVAILABLE && ChaosAddresses.read(vector, at) != word) {
        found(ChaosAddresses.text(word) + " is found at " + at + ", where it is not");
      }
    }
  }

  /** Removes what is left of a process. */
  private void bury(WatchedProcess process) {
    AddressVector vector = writing.vector();
    List<Long> handles = new ArrayList<>(process.confirmed().values());
    for (long word : process.uncertain()) {
      long at = vector.find(ChaosAddresses.of(word));
      if (at != Handles.NOT_AVAILABLE) {
        handles.add(at);
      }
    }
    long[] removed = handles.stream().mapToLong(Long::longValue).toArray();
    if (removed.length > 0) {
      vector.remove(MemorySegment.ofArray(removed), removed.length, 0);
    }
    for (long word : process.confirmed().keySet()) {
      if (vector.find(ChaosAddresses.of(word)) != Handles.NOT_AVAILABLE) {
        found(ChaosAddresses.text(word) + " is found after it was removed");
      }
    }
  }

  /**
   * Judges everything, once all are dead: nothing is there that nobody announced. Answers how many
   * entries there are.
   */
  long judgeAll() {
    Set<Long> known = new HashSet<>();
    for (WatchedProcess process : dead) {
      judge(process, writing.vector());
      judge(process, reading.vector());
      known.addAll(process.confirmed().keySet());
      known.addAll(process.uncertain());
    }
    AddressVector vector = writing.vector();
    long entries = vector.size();
    long seen = 0;
    // Indices are used again, so there never were more than at the worst moment.
    long most = vector.statistics().highWaterMark() + 1_000_000;
    for (long handle = 0; handle < most && seen < entries; handle++) {
      long there = ChaosAddresses.read(vector, handle);
      if (there != -1) {
        seen++;
        if (!known.contains(there)) {
          found(ChaosAddresses.text(there) + " at " + handle + " was announced by nobody");
        } else if (vector.find(ChaosAddresses.of(there)) != handle) {
          found(ChaosAddresses.text(there) + " at " + handle + " is not found there");
        }
      }
    }
    if (seen != entries) {
      found("there are " + seen + " entries, and the vector says " + entries);
    }
    return entries;
  }
}
