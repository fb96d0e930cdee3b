// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.mapped.Soundness;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.testing.Rounds;

/**
 * Long random sequences of every operation, compared with {@link StoreModel} after each step.
 * {@code -Dofi4j.seed=N} repeats a run, {@code -Dofi4j.steps=N} makes it longer.
 */
@Tag("AV-083")
@Tag("AV-086")
@Tag("AV-127")
@Tag("AV-178")
public class EntryStoreModelTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = Rounds.of("ofi4j.steps", 2_000, 4_000);

  /** How many spellings of each address there are; see {@link #key}. */
  private static final int SPELLINGS = 2;

  private static final AddressCodec TEXT = AddressCodec.of(AddressFormat.STR);
  private static final AddressCodec OPAQUE = AddressCodec.of(AddressFormat.GNI);

  public record Course(
      DuplicatePolicy duplicates,
      boolean reuse,
      int capacity,
      int addresses,
      boolean scarce,
      boolean wide) {}

  public static Stream<Course> courses() {
    List<Course> courses = new ArrayList<>();
    for (DuplicatePolicy duplicates :
        List.of(DuplicatePolicy.SHARE, DuplicatePolicy.NEW_INDEX, DuplicatePolicy.REJECT)) {
      for (int addresses : List.of(8, 300, 6000)) {
        courses.add(new Course(duplicates, true, Integer.MAX_VALUE - 1, addresses, false, false));
        courses.add(new Course(duplicates, true, Integer.MAX_VALUE - 1, addresses, false, true));
        courses.add(new Course(duplicates, true, 200, addresses, true, addresses == 300));
        courses.add(
            new Course(duplicates, false, 3000, addresses, addresses == 300, addresses == 8));
      }
    }
    return courses.stream();
  }

  private final AddressKey key = new AddressKey();
  private final AddressKey other = new AddressKey();
  private final ShortWays shortWays = new ShortWays();
  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);

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
    long seed = SEED ^ course.toString().hashCode();
    SplittableRandom random = new SplittableRandom(seed);
    StoreModel model =
        new StoreModel(course.reuse(), course.duplicates(), course.capacity(), SPELLINGS);
    StoreOptions options =
        new StoreOptions(
            random.nextInt(3) * 400L,
            course.reuse(),
            course.duplicates(),
            course.capacity(),
            random.nextLong(),
            course.wide());
    int step = 0;
    try (EntryStore store = open(options, memory)) {
      for (; step < STEPS; step++) {
        // Phases that mostly grow and mostly shrink, so that both ends are reached.
        int removals = step / (STEPS / 8) % 2 == 0 ? 15 : 45;
        if (course.scarce()) {
          memory.limit(random.nextInt(4) == 0 ? Long.MAX_VALUE : memory.held());
        }
        act(store, model, course, random, removals);
        if (step % 500 == 0) {
          compareAll(store, model, course);
          checkSound(store, options);
        }
      }
      compareAll(store, model, course);
      checkSound(store, options);
      assertThat(shortWays.lookups()).isPositive();
      // Of several entries with an address only the general way knows which is meant; and wide
      // slots are for others than IPv4.
      boolean several = course.duplicates() == DuplicatePolicy.NEW_INDEX || course.wide();
      assertThat(shortWays.searches()).matches(searches -> several ? searches == 0 : searches > 0);
      memory.limit(Long.MAX_VALUE);
      for (int index : List.copyOf(model.reserved.keySet())) {
        store.cancel(index);
      }
      for (int index : List.copyOf(model.live.keySet())) {
        while (store.remove(index) > 0) {}
      }
      assertThat(store.size()).isZero();
      checkSound(store, options);
      assertThat(store.memory().live()).isZero();
      assertThat(store.memory().side()).isEqualTo(0);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("step " + step + "; repeat with -Dofi4j.seed=" + SEED, e);
    }
  }

  private void act(
      EntryStore store, StoreModel model, Course course, SplittableRandom random, int removals) {
    int spelling = random.nextInt(course.addresses() * SPELLINGS);
    int index = someIndex(model, random);
    int choice = random.nextInt(76 + removals);
    boolean full = memory.held() >= 0 && course.scarce();
    if (choice < 3) {
      insertTogether(store, model, course, random);
    } else if (choice < 35) {
      int outcome = store.insert(key(spelling, key));
      if (!refusedForMemory(outcome, full, store, model, spelling)) {
        same(outcome, model.insert(spelling), "insert %s", spelling);
        index = outcome;
      }
    } else if (choice < 42) {
      int outcome = store.reserve();
      if (!refusedForMemory(outcome, full, store, model, spelling)) {
        same(outcome, model.reserve(), "reserve");
        index = outcome;
      }
    } else if (choice < 50) {
      index = someReserved(model, random, index);
      int outcome = store.publish(index, key(spelling, key));
      if (outcome == StoreModel.NO_MEMORY && full && model.reserved.containsKey(index)) {
        model.cancel(index);
      } else {
        same(outcome, model.publish(index, spelling), "publish %s %s", index, spelling);
      }
    } else if (choice < 52) {
      index = someReserved(model, random, index);
      store.cancel(index);
      model.cancel(index);
    } else if (choice < 60 && hasUserIds()) {
      long id = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(3) - 1;
      int outcome = store.setUserId(index, id);
      StoreModel.Entry entry = model.used(index);
      if (entry == null) {
        same(outcome, StoreModel.INVALID, "outcome");
      } else if (outcome != StoreModel.NO_MEMORY || !full) {
        same(outcome, 0, "outcome");
        entry.userId = id;
      }
    } else if (choice < 63) {
      int outcome = store.markFirewall(index);
      StoreModel.Entry entry = model.used(index);
      if (entry == null) {
        same(outcome, StoreModel.INVALID, "outcome");
      } else if (outcome != StoreModel.NO_MEMORY || !full) {
        same(outcome, 0, "outcome");
        entry.firewall = true;
      }
    } else if (choice < 69) {
      int outcome = store.replace(index, key(spelling, key));
      if (!refusedForMemory(outcome, full, store, model, spelling)) {
        assertThat(outcome)
            .as("replace %s %s", index, spelling)
            .isEqualTo(model.replace(index, spelling));
      }
    } else if (choice % 5 > 0) {
      same(store.remove(index), model.remove(index), "remove %s", index);
    } else {
      removeTogether(store, model, index, random);
    }
    compare(store, model, index);
    compare(store, model, someIndex(model, random));
    same(store.find(key(spelling, key)), model.find(spelling), "find");
    shortWays.find(store, key, model.find(spelling));
    same(store.size(), model.live.size(), "size");
  }

  private void insertTogether(
      EntryStore store, StoreModel model, Course course, SplittableRandom random) {
    int[] spellings = new int[1 + random.nextInt(random.nextInt(8) == 0 ? 300 : 6)];
    AddressKey[] keys = new AddressKey[spellings.length];
    int first = random.nextInt(course.addresses()) * SPELLINGS;
    // Those of IPv4 that follow each other would become runs, which count generations otherwise.
    boolean inOrder = random.nextBoolean();
    boolean oneKind = first / SPELLINGS % 4 > 0 && random.nextBoolean();
    int step = oneKind ? 4 * SPELLINGS : SPELLINGS;
    for (int i = 0; i < keys.length; i++) {
      spellings[i] =
          inOrder
              ? (first + i * step) % (course.addresses() * SPELLINGS)
              : random.nextInt(course.addresses() * SPELLINGS);
      keys[i] = key(spellings[i], new AddressKey());
    }
    int[] outcomes = new int[keys.length];
    int tried = store.insert(keys, keys.length, outcomes);
    for (int i = 0; i < tried; i++) {
      if (refusedForMemory(outcomes[i], course.scarce(), store, model, spellings[i])) {
        same(i, tried - 1, "refused");
        return;
      }
      same(outcomes[i], model.insert(spellings[i]), "insert %s, the %s.", spellings[i], i);
    }
    assertThat(tried == keys.length || outcomes[tried - 1] == StoreModel.NO_MEMORY).isTrue();
  }

  private static void removeTogether(
      EntryStore store, StoreModel model, int first, SplittableRandom random) {
    int[] indices = new int[1 + random.nextInt(random.nextInt(8) == 0 ? 300 : 6)];
    boolean inOrder = random.nextBoolean();
    for (int i = 0; i < indices.length; i++) {
      indices[i] = inOrder ? first + i : someIndex(model, random);
    }
    int[] outcomes = new int[indices.length];
    store.remove(indices, indices.length, outcomes);
    for (int i = 0; i < indices.length; i++) {
      same(outcomes[i], model.remove(indices[i]), "remove %s, the %s.", indices[i], i);
    }
  }

  /** Where memory is scarce anything may be refused, and must then have changed nothing. */
  private boolean refusedForMemory(
      int outcome, boolean scarce, EntryStore store, StoreModel model, int spelling) {
    if (!scarce || outcome != StoreModel.NO_MEMORY) {
      return false;
    }
    same(store.find(key(spelling, other)), model.find(spelling), "find");
    return true;
  }

  private void compareAll(EntryStore store, StoreModel model, Course course) {
    int last = model.live.isEmpty() ? 0 : model.live.lastKey();
    for (int i = 0; i <= last + 1; i++) {
      compare(store, model, i);
    }
    for (int i = 0; i < course.addresses() * SPELLINGS; i += SPELLINGS) {
      same(store.find(key(i, key)), model.find(i), "find");
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
    same(store.count(index), entry == null ? 0 : entry.count, "count");
    same(store.generation(index), model.generation(index), "generation");
    same(store.isFirewalled(index), entry != null && entry.firewall, "isFirewalled");
    Long userId = entry == null ? null : entry.userId;
    same(store.userId(index, 77), userId == null ? 77 : userId, "userId");
    same(store.userId(index, 78), userId == null ? 78 : userId, "userId");
    shortWays.lookUp(store, index, entry == null ? null : key(entry.spelling, new AddressKey()));
    if (entry == null) {
      assertThat(other.kind()).isEqualTo(AddressKey.Kind.EMPTY);
      same(store.ipv4(index), -1, "ipv4");
    } else {
      AddressKey expected = key(entry.spelling, new AddressKey());
      same(Arrays.equals(record(other), record(expected)), true, "record of %s", index);
      boolean ipv4 = expected.kind() == AddressKey.Kind.IPV4;
      same(store.ipv4(index), ipv4 ? expected.ipv4() : -1, "ipv4");
    }
  }

  /** All that a key says. */
  private static byte[] record(AddressKey key) {
    byte[] record = new byte[key.recordSize()];
    key.writeRecord(MemorySegment.ofArray(record), 0);
    return record;
  }

  private static int someIndex(StoreModel model, SplittableRandom random) {
    if (model.live.isEmpty() || random.nextInt(10) == 0) {
      return random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(500);
    }
    int from = random.nextInt(model.live.lastKey() + 1);
    return model.live.ceilingKey(from);
  }

  private static int someReserved(StoreModel model, SplittableRandom random, int otherwise) {
    if (model.reserved.isEmpty() || random.nextInt(10) == 0) {
      return otherwise;
    }
    int from = random.nextInt(model.reserved.lastKey() + 1);
    return model.reserved.ceilingKey(from);
  }

  /**
   * Spelling of an address: the kind goes by the address, and spellings differ in what does not
   * count, where there is such a thing.
   */
  private static AddressKey key(int spelling, AddressKey key) {
    int address = spelling / SPELLINGS;
    int way = spelling % SPELLINGS;
    switch (address % 4) {
      case 0 -> key.setIpv4((0x0A00_0000L + address) << 16 | 5000);
      // Half of them fit into a wide slot.
      case 1 -> {
        boolean isLong = address % 8 == 5;
        key.setIpv6(0x2001_0DB8L << 32, address, 4000, isLong ? way : 0, isLong ? address : 0);
      }
      case 2 -> {
        String text = "fi_sockaddr_in6://[2001:db8::" + Integer.toHexString(address) + "]:77";
        TextAddress value =
            new TextAddress(way == 0 ? text : text.replace("fi_sockaddr", "FI_SOCKADDR"));
        assertThat(TEXT.read(value, key)).isZero();
      }
      default -> {
        // From 1 byte to the most there may be.
        byte[] bytes = new byte[1 + address * 37 % AddressKey.MAX_BYTES];
        bytes[0] = (byte) address;
        bytes[bytes.length - 1] = (byte) (address >> 8);
        assertThat(OPAQUE.read(new ProviderAddress(AddressFormat.GNI, bytes), key)).isZero();
      }
    }
    return key;
  }
}
