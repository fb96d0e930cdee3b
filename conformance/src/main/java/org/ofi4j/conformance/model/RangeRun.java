// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Profile;
import org.ofi4j.conformance.harness.Addresses;

/**
 * One sequence about tables with many entries, which a vector may keep in whatever way it likes:
 * ranges and lists go in, holes appear and are filled with the same or with other addresses,
 * intervals and whole blocks go.
 */
final class RangeRun extends Run {
  private static final int MOST_IN_A_LIST = 5000;
  private static final int MOST_AS_VALUES = 400;
  private static final int MOST_ONE_BY_ONE = 64;
  private static final int MOST_ENTRIES = 250_000;
  private static final int MOST_BURIED = 4000;
  private static final int BLOCK = 1 << 16;
  private static final int HUGE_ONE_IN = 60;
  private static final int PROBED = 24;

  private final RangePool pool;
  private final LargeReference reference;
  private final LargeComparison compare;

  /** Addresses that were removed lately. */
  private long[] buried = {};

  RangeRun(Domain domain, Scenario scenario, long seed) {
    super(domain, scenario, seed);
    // Each failure is an event, and a queue has room for 65,536 of them.
    boolean manyEvents = scenario.asynchronous() && scenario.policy() == DuplicatePolicy.REJECT;
    pool = new RangePool(scenario.format(), manyEvents ? Integer.MAX_VALUE : HUGE_ONE_IN);
    DuplicatePolicy policy = scenario.policy();
    if (policy == DuplicatePolicy.BY_VERSION) {
      throw new IllegalArgumentException("the policy is to be chosen already: " + scenario);
    }
    reference = new LargeReference(policy, domain.info().profile() != Profile.CANDIDATE_1_0);
    compare = new LargeComparison(reference, subject);
  }

  @Override
  void operate() {
    int kind = random.nextInt(100);
    if (reference.size() > MOST_ENTRIES) {
      removeBlock();
    } else if (kind < 24) {
      insertRange();
    } else if (kind < 42) {
      insertList(pool.list(random, MOST_IN_A_LIST), "list");
    } else if (kind < 50) {
      insertList(pool.continued(random, MOST_IN_A_LIST), "continuation");
    } else if (kind < 58) {
      insertOneByOne();
    } else if (kind < 68) {
      insertBuried();
    } else if (kind < 76) {
      removeInterval();
    } else if (kind < 86) {
      removeHoles();
    } else if (kind < 88) {
      removeBlock();
    } else if (kind < 90) {
      removeMost();
    } else {
      setUserIds();
    }
  }

  private void insertRange() {
    RangePool.Range range = pool.range(random);
    Subject.Form form = listForm();
    long @Nullable [] ids = userIds(range.count(), 8);
    long flags = flags(ids, 16);
    operation = "insertSymmetric " + form + " " + range;
    expect(range.all(), () -> subject.insertSymmetric(range.bounds(), form, flags, ids));
  }

  private void insertList(long[] list, String what) {
    long @Nullable [] ids = userIds(list.length, 8);
    long flags = flags(ids, 16);
    boolean values = list.length <= MOST_AS_VALUES && random.nextInt(4) == 0;
    operation = what + " of " + list.length + ": " + beginning(list);
    List<FabricAddress> addresses = Numbers.addresses(list);
    Supplier<Answer> answer =
        values
            ? () -> subject.startValues(addresses, flags, ids).get()
            : () ->
                subject
                    .startPacked(
                        Addresses.pack(scenario.format(), addresses), list.length, flags, ids)
                    .get();
    expect(list, answer);
  }

  private void insertOneByOne() {
    long[] list =
        random.nextBoolean()
            ? pool.continued(random, MOST_ONE_BY_ONE)
            : pool.list(random, MOST_ONE_BY_ONE);
    list = Arrays.copyOf(list, Math.min(list.length, MOST_ONE_BY_ONE));
    operation = "one by one " + list.length + ": " + beginning(list);
    for (long number : list) {
      expect(new long[] {number}, () -> subject.insertOne(Numbers.address(number)));
    }
  }

  /** What went comes back: in its old order or in another, together or one by one. */
  private void insertBuried() {
    int count = Math.min(buried.length, RangePool.size(random, 1, MOST_IN_A_LIST));
    int from = random.nextInt(buried.length - count + 1);
    long[] list = Arrays.copyOfRange(buried, from, from + count);
    if (random.nextInt(3) == 0) {
      for (int i = list.length - 1; i > 0; i--) {
        int other = random.nextInt(i + 1);
        long moved = list[i];
        list[i] = list[other];
        list[other] = moved;
      }
    }
    insertList(list, "return");
  }

  private static String beginning(long[] list) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(list.length, 6); i++) {
      text.append(Numbers.address(list[i])).append(' ');
    }
    return text + (list.length > 6 ? "..." : "");
  }

  private void expect(long[] elements, Supplier<Answer> call) {
    int[] outcomes = reference.insert(elements, scenario.asynchronous());
    Answer answer = call.get();
    long @Nullable [] handles = answer.handles();
    int @Nullable [] errors = answer.errors();
    int successes = 0;
    for (int i = 0; i < outcomes.length; i++) {
      int outcome = outcomes[i];
      successes += outcome < 0 ? 0 : 1;
      if (errors != null && errors[i] != Math.max(0, -outcome)) {
        same("errno of " + describe(elements, i), Math.max(0, -outcome), errors[i]);
      }
      if (handles != null) {
        long expected = outcome < 0 ? Handles.NOT_AVAILABLE : subject.handleOf(outcome);
        if (handles[i] != expected) {
          same("handle of " + describe(elements, i), expected, handles[i]);
        }
      }
    }
    if (!scenario.asynchronous()) {
      same("value returned", successes, answer.returned());
    }
  }

  private static String describe(long[] elements, int position) {
    long element = elements[position];
    return "address " + position + (element < 0 ? "" : ", " + Numbers.address(element));
  }

  private void removeInterval() {
    int from = random.nextInt(reference.end() + 1);
    int to = Math.min(reference.end(), from + RangePool.size(random, 1, 3000));
    operation = "remove indices from " + from + " to " + to;
    remove(reference.indices(from, to));
  }

  /** Some of an interval: every so-manieth, or at random. */
  private void removeHoles() {
    int from = random.nextInt(reference.end() + 1);
    int[] indices =
        reference.indices(from, Math.min(reference.end(), from + RangePool.size(random, 1, 9000)));
    int oneIn = 1 + random.nextInt(40);
    boolean regular = random.nextBoolean();
    int[] some = new int[indices.length];
    int count = 0;
    for (int i = 0; i < indices.length; i++) {
      if (regular ? i % oneIn == 0 : random.nextInt(oneIn) == 0) {
        some[count++] = indices[i];
      }
    }
    operation = "remove " + count + " of " + indices.length + " from " + from;
    remove(Arrays.copyOf(some, count));
  }

  /** All of the 65,536 indices that share their high bits. */
  private void removeBlock() {
    int block = random.nextInt(Math.max(1, reference.end() / BLOCK));
    operation = "remove block " + block;
    remove(reference.indices(block * BLOCK, Math.min(reference.end(), (block + 1) * BLOCK)));
  }

  private void removeMost() {
    int[] indices = reference.indices(0, reference.end());
    int kept = random.nextInt(3) == 0 ? indices.length : 1 + random.nextInt(500);
    int[] most =
        Arrays.stream(indices).filter(index -> index % kept != kept / 2 || kept == 1).toArray();
    operation = "remove " + most.length + " of " + indices.length;
    remove(most);
  }

  /** Once each, or as often as they were shared; with handles that name nothing in between. */
  private void remove(int[] indices) {
    boolean wholly = random.nextInt(3) != 0;
    long[] handles = new long[2 * indices.length + 1];
    long[] gone = new long[indices.length];
    int died = 0;
    int count = 0;
    for (int index : indices) {
      long handle = subject.handleOf(index);
      long number = reference.number(index);
      for (int times = wholly ? reference.count(index) : 1; times > 0; times--) {
        if (count + 1 == handles.length) {
          handles = Arrays.copyOf(handles, 2 * handles.length);
        }
        handles[count++] = handle;
        reference.remove(index);
      }
      if (!reference.isLive(index)) {
        gone[died++] = number;
      }
    }
    int errno = 0;
    if (subject.handlesAreIndices() && random.nextInt(4) == 0) {
      handles[count++] = reference.unusedFrom(random.nextInt(reference.end() + 1));
      errno = Errno.EINVAL.number();
    }
    if (died > 0) {
      buried = Arrays.copyOf(gone, Math.min(died, MOST_BURIED));
    }
    same("errno of remove", errno, subject.remove(Arrays.copyOf(handles, count), listForm()));
  }

  private void setUserIds() {
    operation = "setUserId";
    for (int i = random.nextInt(30); i > 0; i--) {
      int index = reference.liveFrom(random.nextInt(reference.end() + 1));
      if (index >= 0) {
        setUserId(subject.handleOf(index), 1000 + index, true);
      }
    }
  }

  /** Looks at a few entries, live and dead, forwards and backwards. */
  @Override
  void compareSome() {
    compare.totals();
    for (int i = 0; i < PROBED; i++) {
      int live = reference.liveFrom(random.nextInt(reference.end() + 1));
      if (live >= 0) {
        compare.entry(live);
        compare.search(reference.number(live) + random.nextInt(-1, 2)); // the port beside it
        compare.search(reference.number(live) + ((long) random.nextInt(-1, 2) << Short.SIZE));
      }
      compare.search(pool.any(random));
      if (i < buried.length) {
        compare.search(buried[random.nextInt(buried.length)]);
      }
    }
    compare.hole(reference.unusedFrom(random.nextInt(reference.end() + 1)));
  }

  @Override
  void compareAll() {
    compare.totals();
    compare.entries();
    for (long number : buried) {
      compare.search(number);
    }
  }
}
