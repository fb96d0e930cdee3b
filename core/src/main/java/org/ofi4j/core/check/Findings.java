// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ofi4j.core.memory.MappedFaults;

/** What is found to be wrong with a vector. For one thread. */
public final class Findings {
  /** So many are listed; more are counted. */
  static final int MOST = 1000;

  private final List<String> found = new ArrayList<>();

  /** How many there are. */
  long count;

  /** Something is wrong. */
  public void add(String what) {
    count++;
    if (found.size() < MOST) {
      found.add(what);
    }
  }

  /** Two numbers that should be the same. */
  void same(String what, long stored, long counted) {
    if (stored != counted) {
      add(String.format(Locale.ROOT, "%s: stored %d, counted %d", what, stored, counted));
    }
  }

  /** Runs a check that may fail in any way; returns whether it came to its end. */
  public boolean in(String what, Runnable check) {
    try {
      check.run();
      MappedFaults.surface();
      return true;
    } catch (RuntimeException | StackOverflowError | InternalError damaged) {
      add(what + " cannot be looked at: " + damaged);
      return false;
    }
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /** All that was found, with a last line about what is not listed. */
  public List<String> list() {
    List<String> all = new ArrayList<>(found);
    if (count > found.size()) {
      all.add("and " + (count - found.size()) + " more");
    }
    return List.copyOf(all);
  }
}
