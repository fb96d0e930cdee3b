// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.mapped.Soundness;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.testing.Rounds;

/**
 * Long random sequences of ranges, of many addresses at once and of single ones, over tables that
 * are all runs, all scattered, or both, compared with {@link StoreModel} after each step. {@code
 * -Dofi4j.seed=N} repeats a run, {@code -Dofi4j.rangeSteps=N} makes it longer.
 *
 * <p>An address is a number: a port of a node. The nodes of one half are IPv4, of the other IPv6.
 */
@Tag("AV-083")
@Tag("AV-117")
@Tag("AV-127")
@Tag("AV-178")
public class EntryStoreRunModelTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = Rounds.of("ofi4j.rangeSteps", 450, 900);
  private static final int PORTS = 48;
  private static final int CANCELED = -Errno.ECANCELED.number();

  /** What a table is made of. */
  public enum Content {
    RUNS,
    SCATTERED,
    BOTH
  }

  public record Course(
      DuplicatePolicy duplicates,
      boolean reuse,
      int capacity,
      int nodes,
      boolean scarce,
      Content content) {}

  public static Stream<Course> courses() {
    List<Course> courses = new ArrayList<>();
    for (DuplicatePolicy duplicates :
        List.of(DuplicatePolicy.SHARE, DuplicatePolicy.NEW_INDEX, DuplicatePolicy.REJECT)) {
      for (Content content : Content.values()) {
        int most = Integer.MAX_VALUE - 1;
        courses.add(new Course(duplicates, true, most, 12, false, content));
        courses.add(new Course(duplicates, true, most, 400, false, content));
        courses.add(new Course(duplicates, true, 700, 60, true, content));
        courses.add(new Course(duplicates, false, 6_000, 100, content == Content.BOTH, content));
      }
    }
    return courses.stream();
  }

  private final AddressKey key = new AddressKey();
  private final AddressKey other = new AddressKey();
  private final ShortWays shortWays = new ShortWays();
  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);

  /** By index, each generation that was looked at, by that of the model. */
  private final Map<Integer, Map<Integer, Long>> generations = new HashMap<>();

  private int ipv4Nodes;

  /** How many steps of so many a course has. */
  protected int steps(int many) {
    return many;
  }

  /** Whether the store has user ids. */
  protected boolean hasUserIds() {
    return true;
  }

  @AfterEach
  protected void close() {
    memory.close();
  }

  /** The store that is compared. */
  protected EntryStore open(StoreOptions options, MemorySource memory) {
    return new EntryStore(options, memory);
  }

  /** That all parts of the store say the same. */
  protected void checkSound(EntryStore store, StoreOptions options) {
    Soundness.check(store);
  }

  @ParameterizedTest
  @MethodSource("courses")
  void doesWhatTheModelDoes(Course course) {
    doesWhatTheModelDoes(course, SEED, steps(STEPS));
  }

  @Test
  @DisplayName("An entry in a hole that cannot be recorded as free has no companions any more")
  void companionsOfAnEntryInAHoleThatDied() {
    doesWhatTheModelDoes(
        new Course(DuplicatePolicy.NEW_INDEX, true, 700, 60, true, Content.RUNS),
        12129635270495L,
        steps(900));
  }

  private void doesWhatTheModelDoes(Course course, long seed, int steps) {
    SplittableRandom random = new SplittableRandom(seed ^ course.toString().hashCode());
    StoreModel model = new StoreModel(course.reuse(), course.duplicates(), course.capacity(), 1);
    StoreOptions options =
        new StoreOptions(
            0, course.reuse(), course.duplicates(), course.capacity(), random.nextLong(), false);
    ipv4Nodes = course.nodes() / 2;
    int step = 0;
    try (EntryStore store = open(options, memory)) {
      for (; step < steps; step++) {
        if (course.scarce()) {
          memory.limit(random.nextInt(3) > 0 ? Long.MAX_VALUE : memory.held());
        }
        int removals = step / (steps / 6) % 2 == 0 ? 20 : 80;
        act(store, model, course, random, removals);
        if (step % Integer.getInteger("ofi4j.every", 150) == 0) {
          compareAll(store, model, course);
          checkSound(store, options);
        }
      }
      compareAll(store, model, course);
      checkSound(store, options);
      memory.limit(Long.MAX_VALUE);
      for (int index : List.copyOf(model.reserved.keySet())) {
        store.cancel(index);
        model.cancel(index);
      }
      while (!model.live.isEmpty()) {
        List<Integer> live = List.copyOf(model.live.keySet());
        int start = random.nextInt(live.size());
        for (int i = 0; i < live.size(); i++) {
          int index = live.get((start + i) % live.size());
          same(store.remove(index), model.remove(index), "remove %s", index);
        }
      }
      assertThat(store.size()).isZero();
      checkSound(store, options);
      if (course.reuse()) {
        // Where memory was short, the end of the indices comes down with the next removal.
        assertThat(store.memory().live()).isLessThanOrEqualTo(course.scarce() ? 16 << 10 : 0);
      }
      assertThat(store.memory().side()).isZero();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("step " + step + "; repeat with -Dofi4j.seed=" + seed, e);
    }
  }

  private void act(
      EntryStore store, StoreModel model, Course course, SplittableRandom random, int removals) {
    int choice = random.nextInt(78 + removals);
    boolean runs = course.content() != Content.SCATTERED;
    boolean scattered = course.content() != Content.RUNS;
    if (choice < 20 && runs) {
      insertRange(store, model, course, random);
    } else if (choice < 40 && runs) {
      insertMany(store, model, course, random);
    } else if (choice < 50 && scattered) {
      for (int i = random.nextInt(30); i >= 0; i--) {
        insert(store, model, course, random.nextInt(course.nodes() * PORTS));
      }
    } else if (choice < 55 && runs) {
      // One by one: these get slots, beside runs and between them.
      int step = random.nextBoolean() ? 1 : PORTS;
      int address = random.nextInt(course.nodes() * PORTS);
      for (int i = random.nextInt(60); i >= 0 && address < course.nodes() * PORTS; i--) {
        insert(store, model, course, address);
        address += step;
      }
    } else if (choice < 60) {
      int outcome = store.reserve();
      if (outcome != StoreModel.NO_MEMORY || !course.scarce()) {
        same(outcome, model.reserve(), "reserve");
        publish(store, model, course, random, outcome);
      }
    } else if (choice < 70) {
      attach(store, model, course, someIndex(model, random), random);
    } else if (choice < 78) {
      for (int i = random.nextInt(10); i >= 0; i--) {
        replace(store, model, course, someIndex(model, random), random);
      }
    } else {
      remove(store, model, course, random);
    }
    same(store.size(), model.live.size(), "size");
    for (int i = 0; i < 4; i++) {
      compare(store, model, someIndex(model, random));
      int address = random.nextInt(course.nodes() * PORTS);
      same(store.find(key(address, key)), model.find(address), "find %s", address);
      shortWays.find(store, key, model.find(address));
      if (key.kind() == AddressKey.Kind.IPV4) {
        same(Searches.find(store, key.ipv4()), model.find(address), "findIpv4");
      }
    }
  }

  private void publish(
      EntryStore store, StoreModel model, Course course, SplittableRandom random, int index) {
    if (index < 0) {
      return;
    }
    compare(store, model, index);
    if (random.nextInt(3) == 0) {
      store.cancel(index);
      model.cancel(index);
    } else {
      int address = random.nextInt(course.nodes() * PORTS);
      int outcome = store.publish(index, key(address, key));
      if (outcome == StoreModel.NO_MEMORY && course.scarce()) {
        model.cancel(index);
      } else {
        same(outcome, model.publish(index, address), "publish %s", address);
      }
    }
    compare(store, model, index);
  }

  private void attach(
      EntryStore store, StoreModel model, Course course, int index, SplittableRandom random) {
    StoreModel.Entry entry = model.used(index);
    long id = random.nextInt(5);
    boolean firewall = random.nextBoolean() || !hasUserIds();
    int outcome = firewall ? store.markFirewall(index) : store.setUserId(index, id);
    if (entry == null) {
      same(outcome, StoreModel.INVALID, "outcome");
    } else if (outcome != StoreModel.NO_MEMORY || !course.scarce()) {
      same(outcome, 0, "outcome");
      if (firewall) {
        entry.firewall = true;
      } else {
        entry.userId = id;
      }
    }
  }

  private void replace(
      EntryStore store, StoreModel model, Course course, int index, SplittableRandom random) {
    int address = random.nextInt(course.nodes() * PORTS);
    int outcome = store.replace(index, key(address, key));
    if (outcome != StoreModel.NO_MEMORY || !course.scarce()) {
      assertThat(outcome)
          .as("replace %s %s", index, address)
          .isEqualTo(model.replace(index, address));
    }
    compare(store, model, index);
  }

  private void insert(EntryStore store, StoreModel model, Course course, int address) {
    int outcome = store.insert(key(address, key));
    if (outcome != StoreModel.NO_MEMORY || !course.scarce()) {
      same(outcome, model.insert(address), "insert %s", address);
      compare(store, model, outcome);
    }
  }

  private void insertRange(
      EntryStore store, StoreModel model, Course course, SplittableRandom random) {
    boolean box = random.nextBoolean();
    int services = box ? 1 + random.nextInt(PORTS) : 1;
    int port = random.nextInt(PORTS - services + 1);
    int half = course.nodes() / 2;
    boolean ipv6 = random.nextBoolean();
    int node = random.nextInt(half);
    int nodes = 1 + random.nextInt(Math.min(half - node, box ? 20 : 300));
    int first = (ipv6 ? half + node : node) * PORTS + port;
    key(first, key);
    AddressRange range =
        ipv6
            ? new AddressRange(
                true, key.word(0), key.word(1), 0, (int) key.word(2), nodes, services)
            : new AddressRange(
                false, 0, key.ipv4() >>> 16, 0, (int) key.ipv4() & 0xFFFF, nodes, services);
    RangeOutcome outcome = new RangeOutcome();
    store.insertRange(range, outcome);
    assertThat(outcome.count()).isEqualTo(range.count());
    boolean ended = false;
    for (int i = 0; i < range.count(); i++) {
      int address = first + i / services * PORTS + i % services;
      int found = outcome.outcome(i);
      if (ended) {
        same(found, CANCELED, "%s at %s", range, i);
      } else if (found == StoreModel.NO_MEMORY && course.scarce()) {
        ended = true;
      } else {
        same(found, model.insert(address), "%s at %s", range, i);
        ended = found == StoreModel.NO_MEMORY;
      }
    }
  }

  private void insertMany(
      EntryStore store, StoreModel model, Course course, SplittableRandom random) {
    boolean anyKind = random.nextInt(3) == 0;
    int end = (anyKind ? course.nodes() : course.nodes() / 2) * PORTS;
    int[] addresses = new int[random.nextInt(200)];
    int[] steps = {1, -1, PORTS, -PORTS, 2, -2, 2 * PORTS, 0};
    int at = 0;
    while (at < addresses.length) {
      int step = steps[random.nextInt(steps.length)];
      int otherStep = steps[random.nextInt(steps.length)];
      int row = random.nextBoolean() ? 1000 : 1 + random.nextInt(30);
      int begin = random.nextInt(end);
      int many = 1 + random.nextInt(120);
      for (int i = 0; i < many && at < addresses.length; i++) {
        int address = begin + i % row * step + i / row * otherStep;
        if (step == 0 || address < 0 || address >= end) {
          address = random.nextInt(end);
        }
        addresses[at++] = address;
      }
    }
    int[] outcomes = new int[addresses.length];
    int tried =
        anyKind
            ? store.insert(keys(addresses), addresses.length, outcomes)
            : store.insertIpv4(words(addresses), addresses.length, outcomes);
    for (int i = 0; i < tried; i++) {
      if (outcomes[i] == StoreModel.NO_MEMORY && course.scarce()) {
        same(i, tried - 1, "refused");
        return;
      }
      same(outcomes[i], model.insert(addresses[i]), "%s of many", i);
    }
    assertThat(tried == addresses.length || outcomes[tried - 1] == StoreModel.NO_MEMORY).isTrue();
  }

  private void remove(EntryStore store, StoreModel model, Course course, SplittableRandom random) {
    if (model.live.isEmpty()) {
      return;
    }
    int from = random.nextInt(model.live.lastKey() + 1);
    int many = random.nextInt(10) == 0 ? model.live.lastKey() + 1 : 1 + random.nextInt(60);
    boolean backwards = random.nextBoolean();
    int every = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
    if (random.nextBoolean()) {
      int[] indices = new int[many];
      int count = 0;
      for (int i = 0; i < many; i += every) {
        indices[count++] = backwards ? from - i : from + i;
      }
      if (random.nextInt(4) == 0) {
        indices[random.nextInt(count)] = indices[random.nextInt(count)];
      }
      removeTogether(store, model, course, indices, count);
      return;
    }
    for (int i = 0; i < many; i += every) {
      int index = backwards ? from - i : from + i;
      int outcome = store.remove(index);
      if (outcome != StoreModel.NO_MEMORY || !course.scarce()) {
        same(outcome, model.remove(index), "remove %s", index);
      }
      if (i < 3) {
        compare(store, model, index);
      }
    }
  }

  private static void removeTogether(
      EntryStore store, StoreModel model, Course course, int[] indices, int count) {
    // As the vector does it: what became of an index takes its place.
    int[] outcomes = indices.clone();
    store.remove(outcomes, count, outcomes);
    for (int i = 0; i < count; i++) {
      if (outcomes[i] != StoreModel.NO_MEMORY || !course.scarce()) {
        same(outcomes[i], model.remove(indices[i]), "remove %s, the %s.", indices[i], i);
      }
    }
  }

  private void compareAll(EntryStore store, StoreModel model, Course course) {
    int last = model.live.isEmpty() ? 0 : model.live.lastKey();
    for (int i = 0; i <= last + 1; i++) {
      compare(store, model, i);
    }
    for (int i = 0; i < course.nodes() * PORTS; i++) {
      same(store.find(key(i, key)), model.find(i), "find %s", i);
    }
    assertThat(store.highWaterMark()).isEqualTo(model.highest);
    assertThat(store.capacity()).isGreaterThanOrEqualTo(store.size());
    assertThat(store.memory().live()).isLessThanOrEqualTo(store.memory().held());
    if (memory.held() > 0) {
      assertThat(store.memory().held()).isEqualTo(memory.held());
    }
  }

  private void compare(EntryStore store, StoreModel model, int index) {
    StoreModel.Entry entry = model.live.get(index);
    same(store.isLive(index), entry != null, "isLive %s", index);
    same(store.load(index, other), entry != null, "load %s", index);
    same(store.count(index), entry == null ? 0 : entry.count, "count %s", index);
    same(store.isFirewalled(index), entry != null && entry.firewall, "isFirewalled");
    Long userId = entry == null ? null : entry.userId;
    same(store.userId(index, 77), userId == null ? 77 : userId, "userId");
    shortWays.lookUp(store, index, entry == null ? null : key(entry.spelling, new AddressKey()));
    if (entry == null) {
      same(store.ipv4(index), -1, "ipv4");
      return;
    }
    AddressKey expected = key(entry.spelling, new AddressKey());
    same(other.sameAddress(expected), true, "address of %s", index);
    same(store.holds(index, expected), true, "holds");
    boolean ipv4 = expected.kind() == AddressKey.Kind.IPV4;
    same(store.ipv4(index), ipv4 ? expected.ipv4() : -1, "ipv4");
    // No index has the same generation twice.
    Map<Integer, Long> seen = generations.computeIfAbsent(index, i -> new HashMap<>());
    long generation = store.generation(index);
    int inModel = model.generation(index);
    seen.forEach((known, of) -> same(of.equals(generation), known == inModel, "generation"));
    seen.put(inModel, generation);
  }

  private static int someIndex(StoreModel model, SplittableRandom random) {
    if (model.live.isEmpty() || random.nextInt(10) == 0) {
      return random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(500);
    }
    int from = random.nextInt(model.live.lastKey() + 1);
    return model.live.ceilingKey(from);
  }

  /** The address of a number. */
  private AddressKey[] keys(int[] addresses) {
    return Arrays.stream(addresses)
        .mapToObj(address -> key(address, new AddressKey()))
        .toArray(AddressKey[]::new);
  }

  private long[] words(int[] addresses) {
    return Arrays.stream(addresses).mapToLong(address -> key(address, key).ipv4()).toArray();
  }

  private AddressKey key(int address, AddressKey into) {
    int node = address / PORTS;
    int port = 5000 + address % PORTS;
    if (node < ipv4Nodes) {
      into.setIpv4((0x0A00_0000L + node) << 16 | port);
    } else {
      // Across the place where more than the last 32 bits change.
      into.setIpv6(0x2001_0DB8L << 32, 0xFFFF_FFF0L + node - ipv4Nodes, port, 0, 0);
    }
    return into;
  }
}
