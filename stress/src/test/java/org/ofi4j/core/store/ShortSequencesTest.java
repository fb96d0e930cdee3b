// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.run.RangeOutcome;

/**
 * Very many short sequences of calls on small new stores, each compared with a plain model after
 * every call: ranges that overlap in a small window, rows, columns, holes, strangers in them,
 * reservations. Short ones come first, so a failure is found in the shortest sequence that shows
 * it. {@code -Dofi4j.seed} repeats a run, {@code -Dofi4j.sequences} says how many of each length.
 */
@Tag("AV-083")
@Tag("AV-178")
@Timeout(600)
class ShortSequencesTest {
  private static final int SEQUENCES = Integer.getInteger("ofi4j.sequences", 40);
  private static final int LONGEST = 12;
  private static final int HOSTS = 60;
  private static final int PORTS = 9;
  private static final int FIRST_PORT = 5000;
  private static final int FIRST_HOST = 100;
  private static final long PREFIX = 0x2001_0DB8_0000_0000L;
  private static final int ALREADY = -Errno.EALREADY.number();

  /** One entry of the model. */
  private static final class Entry {
    private final long number;
    private int count = 1;
    private long userId = -1;

    private Entry(long number) {
      this.number = number;
    }
  }

  private final AddressKey key = new AddressKey();
  private final AddressKey loaded = new AddressKey();
  private final List<String> calls = new ArrayList<>();
  private boolean ipv6;
  private boolean reuse;
  private DuplicatePolicy policy = DuplicatePolicy.SHARE;
  private EntryStore store = EntryStore.open(0, true, policy);
  private TreeMap<Integer, Entry> model = new TreeMap<>();
  private int appended;
  private long lastNumber;

  @ParameterizedTest
  @CsvSource({
    "SHARE, false, true",
    "REJECT, false, true",
    "NEW_INDEX, false, true",
    "SHARE, true, true",
    "REJECT, true, true",
    "NEW_INDEX, true, true",
    "SHARE, false, false",
    "NEW_INDEX, true, false"
  })
  void everyCallDoesWhatTheModelDoes(
      DuplicatePolicy duplicates, boolean six, boolean reuseIndices) {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    policy = duplicates;
    ipv6 = six;
    reuse = reuseIndices;
    store.close();
    for (int length = 2; length <= LONGEST; length++) {
      for (int sequence = 0; sequence < SEQUENCES; sequence++) {
        store = EntryStore.open(0, reuse, policy);
        model = new TreeMap<>();
        appended = 0;
        lastNumber = number(FIRST_HOST, FIRST_PORT);
        calls.clear();
        try {
          for (int i = 0; i < length; i++) {
            call(random);
            compare();
          }
        } catch (AssertionError | RuntimeException different) {
          throw new AssertionError(
              different.getMessage() + "; seed " + seed + "; " + String.join("; ", calls),
              different);
        } finally {
          store.close();
        }
      }
    }
  }

  private void call(SplittableRandom random) {
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> insertRange(random);
      case 3, 4 -> insertList(random);
      case 5 -> insertRow(random);
      case 6 -> insertOne(random.nextBoolean() ? any(random) : lastNumber + (1L << 16));
      case 7 -> reserve(random);
      case 8 -> setUserId(random);
      case 9 -> removeEvery(random.nextInt(end() + 1), 1, 1 + random.nextInt(40));
      case 10 -> removeEvery(random.nextInt(3), 1 + random.nextInt(5), 1 + random.nextInt(200));
      default -> removeEvery(random.nextInt(end() + 1), 1, 1);
    }
  }

  private int end() {
    return model.isEmpty() ? 0 : model.lastKey() + 1;
  }

  private static long number(long host, int port) {
    return host << Short.SIZE | port;
  }

  private static long any(SplittableRandom random) {
    return number(FIRST_HOST + random.nextInt(HOSTS), FIRST_PORT + random.nextInt(PORTS));
  }

  private AddressKey key(long number) {
    if (ipv6) {
      key.setIpv6(PREFIX, number >>> Short.SIZE, (int) (number & 0xFFFF), 0, 0);
    } else {
      key.setIpv4(number);
    }
    return key;
  }

  private void insertRange(SplittableRandom random) {
    long host = FIRST_HOST + random.nextInt(HOSTS / 2);
    int port = FIRST_PORT + random.nextInt(PORTS / 2);
    int nodes = 1 + random.nextInt(random.nextBoolean() ? 4 : HOSTS / 2);
    int services = 1 + random.nextInt(random.nextInt(4) == 0 ? 40 : PORTS / 2);
    calls.add("range " + host + " x " + nodes + ", " + port + " x " + services);
    AddressRange range = new AddressRange(ipv6, ipv6 ? PREFIX : 0, host, 0, port, nodes, services);
    RangeOutcome outcome = new RangeOutcome();
    store.insertRange(range, outcome);
    same("outcomes", nodes * services, outcome.count());
    for (int i = 0; i < nodes * services; i++) {
      same(
          "outcome " + i,
          expected(number(host + i / services, port + i % services)),
          outcome.outcome(i));
    }
  }

  /** Consecutive, descending, every other, or node by node; perhaps with one twice. */
  private void insertList(SplittableRandom random) {
    int count = 1 + random.nextInt(50);
    int kind = random.nextInt(6);
    long host = FIRST_HOST + random.nextInt(HOSTS);
    int port = FIRST_PORT + random.nextInt(PORTS);
    int few = 2 + random.nextInt(4);
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] =
          switch (kind) {
            case 0 -> number(host + count - i, port);
            case 1 -> number(host + 2L * i, port);
            case 2 -> number(host + i / few, FIRST_PORT + i % few);
            case 3 -> number(host + i % 20, FIRST_PORT + i / 20);
            case 4 -> any(random);
            default -> number(host + i, port);
          };
    }
    if (random.nextInt(5) == 0) {
      numbers[random.nextInt(count)] = numbers[random.nextInt(count)];
    }
    calls.add("list " + count + " of kind " + kind + " from " + host + ":" + port + " by " + few);
    insert(numbers);
  }

  /** Goes on behind the address that was inserted last. */
  private void insertRow(SplittableRandom random) {
    long[] numbers = new long[1 + random.nextInt(30)];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = lastNumber + (i + 1L << Short.SIZE);
    }
    calls.add("row of " + numbers.length + " behind " + lastNumber);
    if (random.nextBoolean()) {
      insert(numbers);
    } else {
      for (long number : numbers) {
        insertOne(number);
      }
    }
  }

  private void insert(long[] numbers) {
    int[] outcomes = new int[numbers.length];
    if (ipv6) {
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = store.insert(key(numbers[i]));
      }
    } else {
      store.insertIpv4(numbers, numbers.length, outcomes);
    }
    for (int i = 0; i < outcomes.length; i++) {
      same("outcome " + i, expected(numbers[i]), outcomes[i]);
    }
    lastNumber = numbers[numbers.length - 1];
  }

  private void insertOne(long number) {
    calls.add("insert " + number);
    same("index", expected(number), store.insert(key(number)));
    lastNumber = number;
  }

  /** A reservation is published or cancelled, with something else inserted in between. */
  private void reserve(SplittableRandom random) {
    calls.add("reserve");
    int reserved = store.reserve();
    same("reserved", unused(), reserved);
    if (!reuse) {
      appended++;
    }
    model.put(reserved, new Entry(-1));
    insertOne(any(random));
    long number = any(random);
    model.remove(reserved);
    if (random.nextBoolean()) {
      calls.add("cancel");
      store.cancel(reserved);
      return;
    }
    calls.add("publish " + number);
    int present = find(number);
    int expected = reserved;
    if (present >= 0 && policy == DuplicatePolicy.SHARE) {
      model.get(present).count++;
      expected = present;
    } else if (present >= 0 && policy == DuplicatePolicy.REJECT) {
      expected = ALREADY;
    } else {
      model.put(reserved, new Entry(number));
    }
    same("published", expected, store.publish(reserved, key(number)));
  }

  private void setUserId(SplittableRandom random) {
    Integer index = model.ceilingKey(random.nextInt(end() + 1));
    if (index != null) {
      calls.add("user id of " + index);
      long id = random.nextInt(5);
      model.get(index).userId = id;
      same("user id set", 0, store.setUserId(index, id));
    }
  }

  private void removeEvery(int from, int step, int most) {
    calls.add("remove " + most + " from " + from + " by " + step);
    for (int i = 0, index = from; i < most && index < end() + 2; i++, index += step) {
      Entry entry = model.get(index);
      int expected = entry == null ? -Errno.EINVAL.number() : --entry.count;
      if (expected == 0) {
        model.remove(index);
      }
      same("shares left of " + index, expected, store.remove(index));
    }
  }

  private int unused() {
    if (!reuse) {
      return appended;
    }
    int index = 0;
    while (model.containsKey(index)) {
      index++;
    }
    return index;
  }

  private int find(long number) {
    for (Map.Entry<Integer, Entry> each : model.entrySet()) {
      if (each.getValue().number == number) {
        return each.getKey();
      }
    }
    return -1;
  }

  private int expected(long number) {
    int present = find(number);
    if (present >= 0 && policy == DuplicatePolicy.SHARE) {
      model.get(present).count++;
      return present;
    }
    if (present >= 0 && policy == DuplicatePolicy.REJECT) {
      return ALREADY;
    }
    int index = unused();
    appended = Math.max(appended, index + 1);
    model.put(index, new Entry(number));
    return index;
  }

  private void compare() {
    same("size", model.size(), store.size());
    Map<Long, Integer> lowest = new HashMap<>();
    int end = end() + 3;
    for (int index = 0; index < end; index++) {
      Entry entry = model.get(index);
      if (store.isLive(index) != (entry != null)) {
        throw new AssertionError("index " + index + " live: " + (entry == null));
      }
      same("count of " + index, entry == null ? 0 : entry.count, store.count(index));
      same("user id of " + index, entry == null ? -1 : entry.userId, store.userId(index, -1));
      if (entry != null) {
        lowest.putIfAbsent(entry.number, index);
        if (!store.load(index, loaded) || !loaded.sameAddress(key(entry.number))) {
          throw new AssertionError("index " + index + " does not have " + entry.number);
        }
      }
    }
    lowest.forEach((number, index) -> same("find " + number, index, store.find(key(number))));
    for (int host = -2; host < HOSTS + 2; host++) {
      for (int port = -1; port < PORTS + 1; port++) {
        long number = number(FIRST_HOST + host, FIRST_PORT + port);
        if (!lowest.containsKey(number)) {
          same("find absent " + number, -1, store.find(key(number)));
        }
      }
    }
  }

  private static void same(String what, long expected, long actual) {
    if (expected != actual) {
      throw new AssertionError(what + ": expected " + expected + ", got " + actual);
    }
  }
}
