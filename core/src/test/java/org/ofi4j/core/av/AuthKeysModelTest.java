// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.RemoveFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.testing.Rounds;
import org.ofi4j.core.testing.TestInfo;

/**
 * Keys and addresses under them, at random, against maps. {@code -Dofi4j.seed} and {@code
 * -Dofi4j.steps} choose another run.
 */
class AuthKeysModelTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = Rounds.of("ofi4j.steps", 1_000, 2_000);
  private static final int MOST = 5;
  private static final int ADDRESSES = 40;
  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();

  /** An entry: its address and the number of its key or -1, which make it what it is. */
  private record Name(FabricAddress address, int key) {}

  /** What the vector has to be. */
  private static final class Model {
    final DuplicatePolicy policy;
    final Map<Integer, byte[]> keys = new TreeMap<>();

    /** Keys that were removed while entries are under them, by their numbers. */
    final Map<Integer, byte[]> removed = new TreeMap<>();

    final Map<Integer, Integer> keyShares = new HashMap<>();
    final Map<Integer, Integer> holds = new HashMap<>();
    final TreeMap<Integer, Name> entries = new TreeMap<>();
    final Map<Integer, Integer> shares = new HashMap<>();

    Model(DuplicatePolicy policy) {
      this.policy = policy;
    }

    int lowestUnused() {
      int index = 0;
      while (entries.containsKey(index)) {
        index++;
      }
      return index;
    }

    int find(Name name) {
      return entries.entrySet().stream()
          .filter(entry -> entry.getValue().equals(name))
          .map(Map.Entry::getKey)
          .findFirst()
          .orElse(-1);
    }

    /** The index, or a negative errno. */
    int insert(Name name) {
      int present = policy == DuplicatePolicy.NEW_INDEX ? -1 : find(name);
      if (present < 0) {
        int index = lowestUnused();
        entries.put(index, name);
        shares.put(index, 1);
        return index;
      }
      if (policy == DuplicatePolicy.REJECT) {
        return -Errno.EALREADY.number();
      }
      shares.merge(present, 1, Integer::sum);
      return present;
    }

    boolean remove(int index) {
      if (!entries.containsKey(index)) {
        return false;
      }
      if (shares.merge(index, -1, Integer::sum) == 0) {
        entries.remove(index);
      }
      return true;
    }

    boolean hasEntries(int key) {
      return entries.values().stream().anyMatch(name -> name.key() == key);
    }

    /** The number that a key has, or is to have; {@code MOST} or more if there is none. */
    int number(byte[] key) {
      removed.keySet().removeIf(number -> !hasEntries(number));
      int free = 0;
      for (int number = 0; number < MOST; number++) {
        if (Arrays.equals(keys.get(number), key) || Arrays.equals(removed.get(number), key)) {
          return number;
        }
        if (free == number && (keys.containsKey(number) || removed.containsKey(number))) {
          free++;
        }
      }
      return free;
    }

    void removeKey(int number) {
      byte[] key = keys.remove(number);
      if (hasEntries(number)) {
        removed.put(number, key);
      }
    }
  }

  private final Random random = new Random(SEED);

  private static FabricAddress address(int i) {
    return i % 3 == 0
        ? new SocketAddress6(0x2001_0db8L << 32, i, 5000, i % 2, i % 2)
        : new SocketAddress4(0x0A01_0100 + i, 5000);
  }

  private static byte[] bytes(int seed) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    new Random(seed).nextBytes(key);
    return key;
  }

  @ParameterizedTest
  @CsvSource({"SHARE", "NEW_INDEX", "REJECT"})
  @Tag("AV-091")
  @Tag("AV-094")
  @Tag("AV-133")
  @Tag("AV-155")
  @Tag("AV-172")
  void theVectorIsWhatItsModelSays(DuplicatePolicy policy) {
    System.out.println("AuthKeysModelTest " + policy + ": -Dofi4j.seed=" + SEED);
    CoreAddressVector vector =
        open(
            TestInfo.defaults().format(AddressFormat.SOCKADDR).keysInVector(MOST),
            VectorOptions.table().withDuplicates(policy));
    Model model = new Model(policy);
    List<HeldAuthKeys> held = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(12)) {
        case 0, 1 -> insertKey(vector, model);
        case 2 -> removeKey(vector, model);
        case 3 -> hold(vector, model, held);
        case 4 -> letGo(model, held);
        case 5, 6, 7, 8 -> insert(vector, model);
        default -> remove(vector, model);
      }
      if (step % 16 == 0) {
        compare(vector, model);
      }
    }
    compare(vector, model);
    held.forEach(HeldAuthKeys::close);
    model.entries.keySet().stream()
        .toList()
        .forEach(index -> {
          for (int share = model.shares.get(index); share > 0; share--) {
            vector.remove(index);
          }
        });
    model.keys.forEach((number, key) -> {
      for (int share = model.keyShares.get(number); share > 0; share--) {
        vector.removeAuthKey(Handles.AUTH_KEY_BIT | number);
      }
    });
    assertThat(vector.size()).isZero();
    vector.close();
  }

  private void insertKey(CoreAddressVector vector, Model model) {
    byte[] key = bytes(random.nextInt(9));
    int number = model.number(key);
    if (number >= MOST) {
      VectorFixture.fails(Errno.ENOSPC, () -> vector.insertAuthKey(key));
      return;
    }
    model.removed.remove(number);
    assertThat(vector.insertAuthKey(key)).isEqualTo(Handles.AUTH_KEY_BIT | number);
    model.keys.put(number, key);
    model.keyShares.merge(number, 1, Integer::sum);
  }

  private void removeKey(CoreAddressVector vector, Model model) {
    int number = random.nextInt(MOST + 1);
    long handle = Handles.AUTH_KEY_BIT | number;
    int left = model.keyShares.getOrDefault(number, 0);
    Errno expected = null;
    if (left == 0) {
      expected = Errno.EINVAL;
    } else if (model.holds.getOrDefault(number, 0) > 0) {
      expected = Errno.EBUSY;
    } else {
      model.keyShares.put(number, left - 1);
      if (left == 1) {
        model.removeKey(number);
      }
    }
    if (expected == null) {
      vector.remove(longs(handle), 1, RemoveFlag.AUTH_KEY.mask());
    } else {
      VectorFixture.fails(expected, () -> vector.removeAuthKey(handle));
    }
  }

  private void hold(CoreAddressVector vector, Model model, List<HeldAuthKeys> held) {
    if (model.keys.isEmpty() || held.size() > 2) {
      return;
    }
    boolean one = random.nextBoolean();
    List<Integer> numbers = List.copyOf(model.keys.keySet());
    int only = numbers.get(random.nextInt(numbers.size()));
    HeldAuthKeys keys =
        one
            ? vector.keys().hold(vector, Handles.AUTH_KEY_BIT | only)
            : vector.keys().holdAll(vector);
    assertThat(keys.count()).isEqualTo(one ? 1 : numbers.size());
    for (int number : numbers) {
      assertThat(keys.contains(number)).isEqualTo(!one || number == only);
    }
    held.add(keys);
    for (int i = 0; i < keys.count(); i++) {
      model.holds.merge(keys.number(i), 1, Integer::sum);
    }
  }

  private void letGo(Model model, List<HeldAuthKeys> held) {
    if (!held.isEmpty()) {
      HeldAuthKeys keys = held.remove(random.nextInt(held.size()));
      for (int i = 0; i < keys.count(); i++) {
        model.holds.merge(keys.number(i), -1, Integer::sum);
      }
      keys.close();
    }
  }

  private void insert(CoreAddressVector vector, Model model) {
    int count = 1 + random.nextInt(4);
    boolean underKeys = random.nextInt(4) > 0;
    FabricAddress[] addresses = new FabricAddress[count];
    long[] input = new long[count];
    for (int i = 0; i < count; i++) {
      int which = random.nextInt(ADDRESSES);
      addresses[i] = address(which);
      int number = random.nextInt(random.nextInt(8) == 0 ? MOST + 1 : Math.max(1, MOST - 1));
      input[i] = Handles.AUTH_KEY_BIT | number;
    }
    long[] expected = new long[count];
    for (int i = 0; i < count; i++) {
      int key = underKeys ? (int) (input[i] & ~Handles.AUTH_KEY_BIT) : -1;
      int outcome =
          underKeys && !model.keys.containsKey(key)
              ? -1
              : model.insert(new Name(addresses[i], key));
      expected[i] = outcome < 0 ? NA : outcome;
    }
    if (random.nextBoolean()) {
      InsertOptions options =
          underKeys ? InsertOptions.none().withAuthKeys(input) : InsertOptions.none();
      assertThat(vector.insert(List.of(addresses), options).handles()).isEqualTo(expected);
    } else {
      vector.insert(packed(addresses), count, longs(input), null, underKeys ? AUTH_KEY : 0, null);
      // The array is the segment's.
      assertThat(input).isEqualTo(expected);
    }
  }

  private void remove(CoreAddressVector vector, Model model) {
    int count = 1 + random.nextInt(6);
    long[] handles = random.longs(count, 0, ADDRESSES * 2).toArray();
    boolean all = true;
    for (long handle : handles) {
      all &= model.remove((int) handle);
    }
    if (all) {
      vector.remove(handles);
    } else {
      VectorFixture.fails(Errno.EINVAL, () -> vector.remove(handles));
    }
  }

  private void compare(CoreAddressVector vector, Model model) {
    assertThat(vector.size()).isEqualTo(model.entries.size());
    for (int index = 0; index < ADDRESSES * 3; index++) {
      Name name = model.entries.get(index);
      int handle = index;
      if (name == null) {
        VectorFixture.fails(Errno.EINVAL, () -> vector.lookup(handle));
        VectorFixture.fails(Errno.EINVAL, () -> vector.lookupAuthKey(handle));
      } else {
        assertThat(vector.lookup(handle)).isEqualTo(name.address());
        if (!model.keys.containsKey(name.key())) {
          VectorFixture.fails(Errno.ENOKEY, () -> vector.lookupAuthKey(handle));
        } else {
          assertThat(vector.lookupAuthKey(handle)).isEqualTo(model.keys.get(name.key()));
        }
      }
    }
    for (int which = 0; which < ADDRESSES; which++) {
      FabricAddress address = address(which);
      assertThat(vector.find(address)).isEqualTo(model.find(new Name(address, -1)));
      for (int number = 0; number < MOST; number++) {
        long key = Handles.AUTH_KEY_BIT | number;
        if (model.keys.containsKey(number)) {
          int expected = model.find(new Name(address, number));
          assertThat(vector.find(address, key)).isEqualTo(expected);
          MessageSource source = new MessageSource();
          assertThat(vector.peers().findSource(packed(address), number, source))
              .isEqualTo(expected >= 0);
          assertThat(source.reported()).isEqualTo(expected < 0 ? NA : expected);
        }
      }
    }
    for (int number = 0; number <= MOST; number++) {
      long key = Handles.AUTH_KEY_BIT | number;
      byte[] bytes = model.keys.get(number);
      if (bytes == null) {
        VectorFixture.fails(Errno.EINVAL, () -> vector.lookupAuthKey(key));
      } else {
        assertThat(vector.lookupAuthKey(key)).isEqualTo(bytes);
      }
    }
  }
}
