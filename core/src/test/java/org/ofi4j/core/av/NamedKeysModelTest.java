// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.fails;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.Handles;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.mapped.NamedStores;
import org.ofi4j.core.mapped.VectorTraits;
import org.ofi4j.core.mapped.VectorVerifier;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.testing.Rounds;
import org.ofi4j.core.testing.TestDomain;

/**
 * Keys of a named vector and addresses under them, at random through three openings that come, go
 * and die, against maps. {@code -Dofi4j.seed} and {@code -Dofi4j.steps} choose another run.
 */
@Tag("AV-091")
@Tag("AV-133")
@Tag("AV-155")
class NamedKeysModelTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = Rounds.of("ofi4j.steps", 750, 1_500);
  private static final int OPENINGS = 3;
  private static final int MOST = NamedKeyUser.MOST;
  private static final int ADDRESSES = 12;

  /** What makes an entry what it is; the key is -1 if there is none. */
  private record Name(int address, int number) {}

  /** An opening: which keys were inserted through it, how often, and what keeps them. */
  private final class Opening {
    CoreAddressVector vector = NamedKeyUser.open(name);
    final Map<Integer, Integer> shares = new HashMap<>();
    final List<HeldAuthKeys> held = new ArrayList<>();

    void close() {
      held.forEach(HeldAuthKeys::close);
      held.clear();
      shares.clear();
      vector.close();
    }
  }

  private final String name = "model-" + UUID.randomUUID();
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<Opening> openings = new ArrayList<>();

  /** The seed of each key that has a number. */
  private final Map<Integer, Integer> keys = new TreeMap<>();

  private final TreeMap<Integer, Name> entries = new TreeMap<>();
  private final Map<Integer, Integer> entryShares = new HashMap<>();
  private NamedVector attached;

  @BeforeEach
  void open() {
    for (int i = 0; i < OPENINGS; i++) {
      openings.add(new Opening());
    }
    attached =
        NamedVector.open(
            ShareDirectory.ofUser(),
            domain(),
            name,
            VectorTraits.ANY.toBytes(),
            false,
            TestDomain.PATIENCE,
            file -> {
              throw new IllegalStateException("it is not there");
            });
  }

  @AfterEach
  void close() {
    openings.forEach(Opening::close);
    attached.close();
  }

  private static String domain() {
    return OpenedEntries.domain(NamedKeyUser.info().build());
  }

  private static long handle(int number) {
    return Handles.AUTH_KEY_BIT | number;
  }

  private static FabricAddress address(int i) {
    return i % 3 == 0
        ? new SocketAddress6(0x2001_0db8L << 32, i, 5000, i % 2, i % 2)
        : new SocketAddress4(0x0A01_0100 + i, 5000);
  }

  @Test
  void allOpeningsAreWhatTheModelSays() {
    String again = "repeat with -Dofi4j.seed=" + SEED;
    System.out.println("NamedKeysModelTest: " + again);
    for (int step = 0; step < STEPS; step++) {
      Opening opening = openings.get(random.nextInt(OPENINGS));
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3 -> insertKey(opening);
        case 4, 5, 6 -> removeKey(opening);
        case 7 -> hold(opening);
        case 8 -> letGo(opening);
        case 9 -> {
          if (random.nextInt(4) == 0) {
            reopen(opening);
          }
        }
        case 10 -> {
          NamedStores.failChange(attached);
        }
        case 11, 12, 13, 14, 15 -> insert(opening);
        default -> remove(opening);
      }
      if (step % 32 == 0) {
        compare();
      }
    }
    compare();
  }

  private boolean isUsed(int number) {
    return openings.stream().anyMatch(one -> one.shares.containsKey(number)) || hasEntries(number);
  }

  private boolean hasEntries(int number) {
    return entries.values().stream().anyMatch(entry -> entry.number() == number);
  }

  private void forgetIfUnused(int number) {
    if (!isUsed(number)) {
      keys.remove(number);
    }
  }

  private void insertKey(Opening opening) {
    int seed = random.nextInt(MOST + 3);
    byte[] key = NamedKeyUser.key(seed);
    int number = 0;
    if (keys.containsValue(seed)) {
      while (!Integer.valueOf(seed).equals(keys.get(number))) {
        number++;
      }
    } else {
      while (keys.containsKey(number)) {
        number++;
      }
      if (number >= MOST) {
        fails(Errno.ENOSPC, () -> opening.vector.insertAuthKey(key));
        return;
      }
    }
    assertThat(opening.vector.insertAuthKey(key)).isEqualTo(handle(number));
    keys.put(number, seed);
    opening.shares.merge(number, 1, Integer::sum);
  }

  private void removeKey(Opening opening) {
    int number = random.nextInt(MOST + 1);
    int shares = opening.shares.getOrDefault(number, 0);
    AddressVector vector = opening.vector;
    if (shares == 0) {
      fails(
          keys.containsKey(number) ? Errno.ENOKEY : Errno.EINVAL,
          () -> vector.removeAuthKey(handle(number)));
    } else if (opening.held.stream().anyMatch(held -> held.contains(number))) {
      fails(Errno.EBUSY, () -> vector.removeAuthKey(handle(number)));
    } else if (shares > 1) {
      vector.removeAuthKey(handle(number));
      opening.shares.put(number, shares - 1);
    } else {
      vector.removeAuthKey(handle(number));
      opening.shares.remove(number);
      forgetIfUnused(number);
    }
  }

  private void hold(Opening opening) {
    if (opening.shares.isEmpty()) {
      fails(Errno.EINVAL, () -> opening.vector.keys().holdAll(opening.vector));
    } else if (opening.held.size() < 2) {
      HeldAuthKeys held = opening.vector.keys().holdAll(opening.vector);
      assertThat(held.count()).isEqualTo(opening.shares.size());
      opening.held.add(held);
    }
  }

  private static void letGo(Opening opening) {
    if (!opening.held.isEmpty()) {
      opening.held.removeLast().close();
    }
  }

  private void reopen(Opening opening) {
    List<Integer> had = List.copyOf(opening.shares.keySet());
    opening.close();
    had.forEach(this::forgetIfUnused);
    opening.vector = NamedKeyUser.open(name);
  }

  private void insert(Opening opening) {
    int which = random.nextInt(ADDRESSES);
    int number = random.nextInt(-1, MOST);
    Name wanted = new Name(which, number);
    if (number >= 0 && !opening.shares.containsKey(number)) {
      fails(
          keys.containsKey(number) ? Errno.ENOKEY : Errno.EINVAL,
          () -> VectorFixture.under(opening.vector, address(which), handle(number)));
      return;
    }
    int index = find(wanted);
    if (index < 0) {
      index = 0;
      while (entries.containsKey(index)) {
        index++;
      }
    }
    long handle =
        number < 0
            ? opening.vector.insert(address(which))
            : VectorFixture.under(opening.vector, address(which), handle(number));
    assertThat(handle).isEqualTo(index);
    entries.put(index, wanted);
    entryShares.merge(index, 1, Integer::sum);
  }

  private int find(Name wanted) {
    return entries.entrySet().stream()
        .filter(entry -> entry.getValue().equals(wanted))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(-1);
  }

  private void remove(Opening opening) {
    int index = random.nextInt(2 * ADDRESSES);
    Name entry = entries.get(index);
    if (entry == null) {
      fails(Errno.EINVAL, () -> opening.vector.remove(index));
      return;
    }
    opening.vector.remove(index);
    if (entryShares.merge(index, -1, Integer::sum) == 0) {
      entries.remove(index);
      entryShares.remove(index);
      forgetIfUnused(entry.number());
    }
  }

  private void compare() {
    ShareDirectory directory = ShareDirectory.ofUser();
    SharedVectorReport report =
        VectorVerifier.verify(directory, domain(), name, TestDomain.PATIENCE);
    assertThat(report.violations()).isEmpty();
    for (Opening opening : openings) {
      CoreAddressVector vector = opening.vector;
      assertThat(vector.size()).isEqualTo(entries.size());
      entries.forEach((index, entry) -> {
        assertThat(vector.lookup(index)).isEqualTo(address(entry.address()));
        if (opening.shares.containsKey(entry.number())) {
          assertThat(vector.lookupAuthKey(index))
              .isEqualTo(NamedKeyUser.key(keys.get(entry.number())));
          assertThat(vector.find(address(entry.address()), handle(entry.number())))
              .isEqualTo((long) index);
        } else {
          fails(Errno.ENOKEY, () -> vector.lookupAuthKey(index));
        }
      });
      for (int number = 0; number <= MOST; number++) {
        long key = handle(number);
        if (opening.shares.containsKey(number)) {
          assertThat(vector.lookupAuthKey(key)).isEqualTo(NamedKeyUser.key(keys.get(number)));
        } else {
          Errno errno = keys.containsKey(number) ? Errno.ENOKEY : Errno.EINVAL;
          fails(errno, () -> vector.lookupAuthKey(key));
          fails(errno, () -> vector.find(address(1), key));
        }
      }
      for (int which = 0; which < ADDRESSES; which++) {
        int index = find(new Name(which, -1));
        assertThat(vector.find(address(which))).isEqualTo(index < 0 ? NA : index);
      }
    }
  }
}
