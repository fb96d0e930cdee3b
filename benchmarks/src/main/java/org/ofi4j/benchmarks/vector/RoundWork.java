// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import org.ofi4j.MemoryUse;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Recorder;
import org.ofi4j.benchmarks.figure.Side;

/**
 * Work that is done in rounds, by either side with the same code. What only one side does or is
 * measured for stands in a condition.
 */
enum RoundWork {
  /** What most bars rest on. */
  SCATTERED(AddressPattern.SCATTERED, Family.IPV4) {
    @Override
    void on(Subject subject, Recorder recorder) {
      if (subject.side() == Side.UDP) {
        insertByTurns(subject, recorder);
      } else {
        recorder.nanos(insertion(true), subject.insert(true));
      }
      long lookup = subject.lookup();
      recorder.nanos(Quantity.LOOKUP, lookup);
      if (subject.searched() > 0) {
        long find = subject.find();
        recorder.nanos(Quantity.FIND, find, subject.searched());
        double inLookups = (double) find / subject.searched() / ((double) lookup / subject.count());
        recorder.figure(Quantity.FIND_IN_LOOKUPS, inLookups);
      }
      if (subject instanceof NativeSubject memory && subject.side() == Side.MEMORY) {
        recorder.nanos(Quantity.FIND_IN_TURN, memory.findInTurn(), memory.searchedInTurn());
      }
      recorder.nanos(Quantity.REMOVE_IN_ORDER, subject.removeInOrder());
      if (subject.side() != Side.UDP) {
        recorder.nanos(insertion(false), subject.insert(false));
        memory(subject, recorder);
        recorder.nanos(Quantity.REMOVE_RANDOMLY, subject.removeRandomly());
      }
    }
  },

  /** Runs. */
  CONSECUTIVE(AddressPattern.CONSECUTIVE, Family.IPV4) {
    @Override
    void on(Subject subject, Recorder recorder) {
      recorder.nanos(insertion(false), subject.insert(false));
      if (subject instanceof Ofi4jSubject ofi4j) {
        memory(subject, recorder);
        recorder.nanos(Quantity.LOOKUP_CONSECUTIVE, subject.lookup());
        recorder.nanos(Quantity.FIND_CONSECUTIVE, ofi4j.find(), ofi4j.searched());
        recorder.nanos(insertion(true), subject.insert(true));
      }
      if (subject.side() != Side.UDP || recorder.round() == 0) {
        insertSymmetric(subject, recorder);
      }
    }
  },

  /** A call for each address, which then come and go in a vector that keeps its size. */
  SINGLY(AddressPattern.SCATTERED, Family.IPV4, true) {
    @Override
    void on(Subject subject, Recorder recorder) {
      recorder.nanos(Quantity.INSERT_SINGLY, subject.insertSingly());
      int cycles = Math.min(subject.count(), MOST_COMPARED_CYCLES);
      recorder.nanos(Quantity.CHURN, subject.churn(cycles), cycles);
    }
  },

  /** On both sides with the number that libfabric can take: its time grows with the square. */
  REMOVAL(AddressPattern.SCATTERED, Family.IPV4) {
    @Override
    int peers(int wanted) {
      return Math.min(wanted, MOST_RANDOM_REMOVALS);
    }

    @Override
    int repetitions(int peers) {
      return Math.ceilDiv(MOST_RANDOM_REMOVALS, peers);
    }

    @Override
    void on(Subject subject, Recorder recorder) {
      subject.insert(true);
      recorder.nanos(Quantity.REMOVE_RANDOMLY, subject.removeRandomly());
    }
  },

  /** Addresses of which there are too many to pack them in a word. */
  SCATTERED_IPV6(AddressPattern.SCATTERED, Family.IPV6) {
    @Override
    void on(Subject subject, Recorder recorder) {
      recorder.nanos(insertion(true), subject.insert(true));
      recorder.nanos(Quantity.LOOKUP.of(Family.IPV6), subject.lookup());
      if (subject.side() == Side.OFI4J) {
        recorder.nanos(Quantity.FIND.of(Family.IPV6), subject.find(), subject.searched());
        recorder.nanos(Quantity.REMOVE_IN_ORDER.of(Family.IPV6), subject.removeInOrder());
        recorder.nanos(insertion(false), subject.insert(false));
        memory(subject, recorder);
      }
    }
  },

  CONSECUTIVE_IPV6(AddressPattern.CONSECUTIVE, Family.IPV6) {
    @Override
    void on(Subject subject, Recorder recorder) {
      recorder.nanos(insertion(true), subject.insert(true));
      if (subject.side() == Side.OFI4J) {
        recorder.nanos(insertion(false), subject.insert(false));
        memory(subject, recorder);
      }
    }
  };

  /** libfabric's removal in random order takes time with the square of the number. */
  static final int MOST_RANDOM_REMOVALS = 20_000;

  private static final int SERVICES = 50;
  private static final int MOST_COMPARED_CYCLES = 200_000;

  /** With less work a round would time the clock. */
  private static final int LEAST_WORK = 65_536;

  private final AddressPattern pattern;
  private final Family family;

  /** Whether addresses are exchanged for others. */
  private final boolean exchanges;

  RoundWork(AddressPattern pattern, Family family) {
    this(pattern, family, false);
  }

  RoundWork(AddressPattern pattern, Family family, boolean exchanges) {
    this.pattern = pattern;
    this.family = family;
    this.exchanges = exchanges;
  }

  /** With how many peers it is done where there are so many. */
  int peers(int wanted) {
    return wanted;
  }

  /** What it works on. */
  Workload workload(Arena arena, int peers) {
    return exchanges
        ? Workload.withOthers(arena, pattern, family, peers)
        : Workload.of(arena, pattern, family, peers);
  }

  /** One round of one side, which has the workload loaded; small work is done several times. */
  void round(Subject subject, Recorder recorder) {
    int repetitions = repetitions(subject.count());
    for (int i = 0; i < repetitions; i++) {
      on(subject, recorder);
    }
    subject.closeVector();
    recorder.flush();
  }

  /** How often it is done in a round. */
  int repetitions(int peers) {
    return Math.max(1, LEAST_WORK / peers);
  }

  /** The work, once. */
  abstract void on(Subject subject, Recorder recorder);

  /**
   * A million inserts of libfabric's take more than half a second, and a count hint changes nothing
   * about that. So each of its rounds counts for both rows, every other one had the hint, and two
   * rows of its own show what it did.
   */
  void insertByTurns(Subject subject, Recorder recorder) {
    boolean hint = recorder.round() % 2 == 0;
    long nanos = subject.insert(hint);
    recorder.nanos(insertion(true), nanos);
    recorder.nanos(insertion(false), nanos);
    recorder.nanos(hint ? Quantity.UDP_WITH_HINT : Quantity.UDP_WITHOUT_HINT, nanos);
  }

  /** Insertion of its addresses. */
  Quantity insertion(boolean hint) {
    return Quantity.insert(pattern, family, hint);
  }

  /** No bar compares it, and it costs libfabric as much as other insertion: once is enough. */
  static void insertSymmetric(Subject subject, Recorder recorder) {
    int services = Math.min(SERVICES, subject.count());
    int nodes = subject.count() / services;
    recorder.nanos(
        Quantity.SYMMETRIC_ARRAY,
        subject.insertSymmetric("10.0.0.0", nodes, 5000, services),
        (long) nodes * services);
  }

  /** What the open vector takes, where the side tells. */
  void memory(Subject subject, Recorder recorder) {
    if (subject instanceof Ofi4jSubject ofi4j) {
      MemoryUse memory = ofi4j.memory();
      long entries = ofi4j.size();
      recorder.figure(Quantity.live(pattern, family), memory.livePerPeer(entries));
      recorder.figure(Quantity.held(pattern, family), memory.heldPerPeer(entries));
    }
  }
}
