// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.ints;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.uri;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;
import org.ofi4j.spi.FabricPeers;

/** A fabric says of each address whether it becomes an entry. */
class FabricPeersTest {
  private static final String REASON = "is on no rail of this node";
  private static final FabricAddress REFUSED = a(2);
  private static final VectorOptions TABLE = VectorOptions.table();

  /** A fabric that refuses some addresses, and remembers what it was asked. */
  private static final class Picky implements FabricPeers {
    private final AddressFormat format;
    private final Predicate<FabricAddress> refused;
    private final Errno errno;
    final List<FabricAddress> asked = new ArrayList<>();

    Picky(AddressFormat format, Predicate<FabricAddress> refused, Errno errno) {
      this.format = format;
      this.refused = refused;
      this.errno = errno;
    }

    static Picky refusing(FabricAddress address) {
      return new Picky(AddressFormat.SOCKADDR_IN, address::equals, Errno.EHOSTUNREACH);
    }

    @Override
    public boolean admitsAll() {
      return false;
    }

    @Override
    public Refusal admit(MemorySegment address) {
      FabricAddress value = FabricAddress.of(format, address);
      assertThat(address.byteSize()).isEqualTo(value.toBytes().length);
      asked.add(value);
      return refused.test(value) ? new Refusal(errno, REASON) : null;
    }
  }

  /** Before the call returns, also if it fails in the middle: receives end with their entry. */
  @Test
  void aFabricHearsWhenHandlesMayHaveLostTheirAddress() {
    int[] changes = {0};
    FabricPeers counting =
        new FabricPeers() {
          @Override
          public boolean followsAddresses() {
            return true;
          }

          @Override
          public void addressesChanged() {
            changes[0]++;
          }
        };
    try (CoreAddressVector vector = open(counting)) {
      long one = vector.insert(a(1));
      long two = vector.insert(a(2));
      assertThat(changes[0]).isZero();
      vector.replace(one, a(3));
      assertThat(changes[0]).isEqualTo(1);
      vector.remove(new long[] {two, one});
      assertThat(changes[0]).isEqualTo(2);
      long last = vector.insert(a(4));
      assertThatThrownBy(() -> vector.remove(new long[] {last, 1_000}))
          .isInstanceOf(FabricException.class);
      assertThat(changes[0]).isEqualTo(3);
    }
  }

  private static CoreAddressVector open(
      AddressFormat format, VectorOptions options, FabricPeers peers) {
    TestDomain domain = TestDomain.of(TestInfo.defaults().format(format));
    return CoreAddressVector.open(domain, domain.lifetime(), options, peers);
  }

  private static CoreAddressVector open(FabricPeers peers) {
    return open(AddressFormat.SOCKADDR_IN, TABLE, peers);
  }

  /** Inserts a(1), a(2) and a(3); what became of each. */
  private enum Form {
    VALUES {
      @Override
      Outcome insert(CoreAddressVector vector) {
        return of(vector.insert(List.of(a(1), a(2), a(3)), InsertOptions.none()));
      }
    },
    SYMMETRIC {
      @Override
      Outcome insert(CoreAddressVector vector) {
        return of(vector.insertSymmetric("10.1.1.1", 3, "5000", 1, InsertOptions.none()));
      }
    },
    PACKED {
      @Override
      Outcome insert(CoreAddressVector vector) {
        MemorySegment handles = longs(7, 7, 7);
        MemorySegment errors = MemorySegment.ofArray(new int[] {7, 7, 7});
        vector.insert(packed(a(1), a(2), a(3)), 3, handles, errors, SYNC, null);
        return new Outcome(longs(handles), ints(errors), List.of());
      }
    },
    SYMMETRIC_INTO_MEMORY {
      @Override
      Outcome insert(CoreAddressVector vector) {
        MemorySegment handles = longs(7, 7, 7);
        MemorySegment errors = MemorySegment.ofArray(new int[] {7, 7, 7});
        vector.insertSymmetric("10.1.1.1", 3, "5000", 1, handles, errors, SYNC, null);
        return new Outcome(longs(handles), ints(errors), List.of());
      }
    },
    ONE_BY_ONE {
      @Override
      Outcome insert(CoreAddressVector vector) {
        return each(i -> vector.insert(a(i)));
      }
    },
    SERVICES {
      @Override
      Outcome insert(CoreAddressVector vector) {
        return each(i -> vector.insertService("10.1.1." + i, "5000"));
      }
    };

    private static final long SYNC = InsertFlag.SYNC_ERR.mask();

    abstract Outcome insert(CoreAddressVector vector);

    private interface Single {
      long insert(int number);
    }

    private static Outcome each(Single single) {
      long[] handles = new long[3];
      for (int i = 0; i < 3; i++) {
        int number = i + 1;
        handles[i] = NA;
        if (a(number).equals(REFUSED)) {
          fails(Errno.EHOSTUNREACH, REASON, () -> single.insert(number));
        } else {
          handles[i] = single.insert(number);
        }
      }
      return new Outcome(handles, new int[] {0, Errno.EHOSTUNREACH.number(), 0}, List.of());
    }

    static Outcome of(Insertion insertion) {
      int[] errors = IntStream.range(0, 3).map(insertion::error).toArray();
      return new Outcome(insertion.handles(), errors, insertion.failures());
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record Outcome(long[] handles, int[] errors, List<InsertionFailure> failures) {}

  @ParameterizedTest
  @EnumSource
  @Tag("AV-077")
  @DisplayName("What the fabric refuses fails as what the format refuses, in every form")
  void everyForm(Form form) {
    Picky fabric = Picky.refusing(REFUSED);
    try (CoreAddressVector vector = open(fabric)) {
      Outcome outcome = form.insert(vector);
      assertThat(outcome.handles).containsExactly(0, NA, 1);
      assertThat(outcome.errors).containsExactly(0, 113, 0);
      assertThat(outcome.failures)
          .allSatisfy(failure -> {
            assertThat(failure.position()).isOne();
            assertThat(failure.errno()).isEqualTo(Errno.EHOSTUNREACH);
            assertThat(failure.reason()).isEqualTo(REASON);
          });
      assertThat(fabric.asked).as("once each").containsExactly(a(1), a(2), a(3));
      assertThat(vector.size()).isEqualTo(2);
      assertThat(vector.find(REFUSED)).isEqualTo(NA);
      assertThat(vector.lookup(1)).isEqualTo(a(3));
    }
  }

  @Test
  void failuresOfAListHaveTheirReasons() {
    try (CoreAddressVector vector = open(Picky.refusing(REFUSED))) {
      assertThat(Form.VALUES.insert(vector).failures).hasSize(1);
      assertThat(Form.SYMMETRIC.insert(vector).failures).hasSize(1);
    }
  }

  @Test
  @DisplayName("Addresses that a fabric admits one by one become a run, too")
  void admittedRun() {
    int count = 10_000;
    MemorySegment addresses = MemorySegment.ofArray(new byte[16 * count]);
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(MemorySegment.ofArray(a(i + 1).toBytes()), 0, addresses, 16L * i, 16);
    }
    Picky some = new Picky(AddressFormat.SOCKADDR_IN, _ -> false, Errno.EHOSTUNREACH);
    try (CoreAddressVector vector = open(some)) {
      assertThat(vector.insert(addresses, count, null, null, 0, null)).isEqualTo(count);
      assertThat(some.asked).hasSize(count);
      assertThat(vector.statistics().memory().live()).isLessThan(count);
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ONE_BY_ONE", "SERVICES"}) // which expect a refusal
  @DisplayName("Where all are admitted nobody is asked")
  void nobodyIsAsked(Form form) {
    Picky fabric = Picky.refusing(a(9));
    FabricPeers open =
        new FabricPeers() {
          @Override
          public Refusal admit(MemorySegment address) {
            return fabric.admit(address);
          }
        };
    try (CoreAddressVector vector = open(open)) {
      assertThat(form.insert(vector).handles).containsExactly(0, 1, 2);
      vector.replace(vector.insert(a(7)), a(8));
      vector.insertService("10.1.1.9", "5000");
      assertThat(fabric.asked).isEmpty();
    }
  }

  @Test
  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  @Tag("AV-055")
  void asynchronousInsertions() {
    Picky fabric = Picky.refusing(REFUSED);
    TestFabric of = new TestFabric();
    TestDomain domain = new TestDomain(of, TestInfo.defaults().build());
    EventQueue queue = of.openEventQueue(EventQueueOptions.defaults());
    CoreAddressVector vector =
        CoreAddressVector.open(
            domain, domain.lifetime(), TABLE.withFlags(VectorFlag.EVENT), fabric);
    HistoricVector.of(vector).bind(queue, 0);
    MemorySegment handles = longs(7, 7, 7);

    vector.insert(packed(a(1), a(2), a(3)), 3, handles, null, 0, null);
    reports(queue, 1, 2);
    assertThat(longs(handles)).containsExactly(0, NA, 2);
    assertThat(fabric.asked).containsExactly(a(1), a(2), a(3));

    Insertion listed = vector.insert(List.of(a(4), a(2)), InsertOptions.none());
    reports(queue, 1, 1);
    assertThat(listed.failures()).hasSize(1);
    assertThat(listed.failures().getFirst().reason()).isEqualTo(REASON);

    vector.insert(a(2));
    reports(queue, 0, 0);
    vector.insertSymmetric("10.1.1.2", 2, "5000", 1, InsertOptions.none());
    reports(queue, 0, 1);
    vector.close();
  }

  private static void reports(EventQueue queue, int position, int inserted) {
    assertThat(next(queue))
        .isInstanceOfSatisfying(
            Event.Failure.class,
            event -> {
              assertThat(event.data()).isEqualTo(position);
              assertThat(event.errno()).isEqualTo(Errno.EHOSTUNREACH);
              assertThat(event.reason()).contains(REASON);
            });
    assertThat(next(queue).data()).isEqualTo(inserted);
  }

  private static Event next(EventQueue queue) {
    List<Event> events = new ArrayList<>();
    while (queue.poll(events::add, 1) == 0) {
      Thread.onSpinWait();
    }
    return events.getFirst();
  }

  @Test
  void replacedAddresses() {
    Picky fabric = Picky.refusing(REFUSED);
    try (CoreAddressVector vector = open(fabric)) {
      long handle = vector.insert(a(1));
      fails(Errno.EHOSTUNREACH, REASON, () -> vector.replace(handle, REFUSED));
      assertThat(vector.lookup(handle)).isEqualTo(a(1));
      vector.replace(handle, a(3));
      assertThat(vector.lookup(handle)).isEqualTo(a(3));
      fails(Errno.EINVAL, () -> vector.replace(handle + 1, a(4)));
      assertThat(fabric.asked).containsExactly(a(1), a(2), a(3));
    }
  }

  @Test
  @DisplayName("Each address is asked for once, also where batches look at it twice")
  void manyOfMixedFamilies() {
    List<FabricAddress> addresses = new ArrayList<>();
    for (int i = 1; i <= 900; i++) {
      addresses.add(i % 7 < 3 ? a(i) : v6(i));
    }
    Picky fabric =
        new Picky(
            AddressFormat.SOCKADDR,
            address -> addresses.indexOf(address) % 100 == 99,
            Errno.EHOSTUNREACH);
    try (CoreAddressVector vector = open(AddressFormat.SOCKADDR, TABLE, fabric)) {
      MemorySegment all = packed(addresses.toArray(FabricAddress[]::new));
      assertThat(vector.insert(all, 900, null, null, 0, null)).isEqualTo(891);
      assertThat(fabric.asked).isEqualTo(addresses);
      assertThat(vector.size()).isEqualTo(891);
      assertThat(vector.find(addresses.get(99))).isEqualTo(NA);
      assertThat(vector.lookup(99)).isEqualTo(addresses.get(100));
    }
  }

  @Test
  void theFabricIsNotAskedForWhatIsNoAddress() {
    Picky fabric = Picky.refusing(REFUSED);
    try (CoreAddressVector vector = open(fabric)) {
      Insertion insertion =
          vector.insert(List.of(VectorFixture.BAD, v6(1), a(1)), InsertOptions.none());
      assertThat(insertion.handles()).containsExactly(NA, NA, 0);
      assertThat(insertion.failures().getFirst().reason()).contains("any-address");
      assertThat(fabric.asked).containsExactly(a(1));
    }
  }

  @Test
  void duplicatesAreAskedForAgainAndKeepTheirOwnReason() {
    Picky fabric = Picky.refusing(REFUSED);
    try (CoreAddressVector vector =
        open(AddressFormat.SOCKADDR_IN, TABLE.withDuplicates(DuplicatePolicy.REJECT), fabric)) {
      vector.insert(a(1));
      fails(Errno.EALREADY, "in the vector already", () -> vector.insert(a(1)));
      assertThat(fabric.asked).containsExactly(a(1), a(1));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"VALUES", "SYMMETRIC"})
  @Tag("AV-206")
  @DisplayName("D-20: a fabric without memory ends the call, and gives its own reason")
  void fabricWithoutMemory(Form form) {
    Picky fabric = new Picky(AddressFormat.SOCKADDR_IN, REFUSED::equals, Errno.ENOMEM);
    try (CoreAddressVector vector = open(fabric)) {
      Outcome outcome = form.insert(vector);
      assertThat(outcome.errors).containsExactly(0, 12, 125);
      assertThat(outcome.failures.getFirst().reason()).isEqualTo(REASON);
      assertThat(outcome.failures.getLast().reason()).contains("was not tried");
      assertThat(fabric.asked).containsExactly(a(1), a(2));
    }
  }

  @Test
  @DisplayName("The fabric gets the address alone, without the key that it comes under")
  void addressesUnderKeys() {
    Picky fabric = Picky.refusing(REFUSED);
    TestDomain domain = TestDomain.of(TestInfo.defaults().keysInVector(2));
    try (CoreAddressVector vector =
        CoreAddressVector.open(domain, domain.lifetime(), TABLE, fabric)) {
      long key = vector.insertAuthKey(new byte[AddressVector.AUTH_KEY_SIZE]);
      InsertOptions under = InsertOptions.none().withAuthKeys(key, key);
      Insertion insertion = vector.insert(List.of(a(1), a(2)), under);
      assertThat(insertion.handles()).containsExactly(0, NA);
      assertThat(insertion.failures().getFirst().reason()).isEqualTo(REASON);
      vector.replace(0, a(3));
      assertThat(vector.find(a(3), key)).isZero();
      assertThat(fabric.asked).containsExactly(a(1), a(2), a(3));
      Insertion nameless = vector.insert(List.of(a(4)), InsertOptions.none().withAuthKeys(key + 1));
      assertThat(nameless.failures().getFirst().reason()).contains("authorization key");
    }
  }

  @Test
  @DisplayName("An address of the fabric's own comes whole, as fi_av_insert takes it")
  void addressesOfTheFabric() {
    FabricAddress efa = uri("fi_addr_efa://[fe80::1]:12:3456");
    byte[] whole = new byte[32];
    System.arraycopy(efa.toBytes(), 0, whole, 0, 24);
    FabricAddress refused = uri("fi_addr_efa://[fe80::2]:12:3456");
    Picky fabric =
        new Picky(
            AddressFormat.EFA, address -> address.toText().equals(refused.toText()), Errno.EINVAL);
    try (CoreAddressVector vector = open(AddressFormat.EFA, TABLE, fabric)) {
      assertThat(vector.insert(efa)).isZero();
      assertThat(fabric.asked.getFirst().toBytes()).isEqualTo(whole);
      fails(Errno.EINVAL, REASON, () -> vector.insert(refused));
    }
  }

  @Test
  @DisplayName("Whoever is asked holds the lock of the vector's writers")
  void underTheLock() {
    List<CompletableFuture<Long>> others = new ArrayList<>();
    CoreAddressVector[] vector = new CoreAddressVector[1];
    FabricPeers fabric =
        new FabricPeers() {
          @Override
          public boolean admitsAll() {
            return false;
          }

          @Override
          public Refusal admit(MemorySegment address) {
            if (others.isEmpty()) {
              CompletableFuture<Long> handle = new CompletableFuture<>();
              others.add(handle);
              Thread other =
                  Thread.ofPlatform().start(() -> handle.complete(vector[0].insert(a(2))));
              while (other.getState() == Thread.State.NEW
                  || other.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
              }
              assertThat(handle).isNotDone();
            }
            return null;
          }
        };
    vector[0] = open(fabric);
    assertThat(vector[0].insert(a(1))).isZero();
    assertThat(others.getFirst().join()).isOne();
    vector[0].close();
  }
}
