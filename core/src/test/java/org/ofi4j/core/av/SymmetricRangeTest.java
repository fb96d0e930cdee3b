// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.openOn;
import static org.ofi4j.core.av.VectorFixture.reported;
import static org.ofi4j.core.av.VectorFixture.source;
import static org.ofi4j.core.testing.Quick.same;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.ServicePort;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.source.NodeAddresses;
import org.ofi4j.core.source.NodeRange;
import org.ofi4j.core.source.SymmetricAddresses;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Allocation;
import org.ofi4j.core.testing.TestInfo;

/**
 * Symmetric insertions of numeric nodes as a whole: handles, errors, failures and what lookups find
 * afterwards are those of insertion address by address, which the tests make beside it.
 */
@Tag("AV-117")
@Tag("AV-118")
@Tag("AV-122")
@Tag("AV-123")
class SymmetricRangeTest {
  private static final long SYNC_ERR = InsertFlag.SYNC_ERR.mask();

  private static final List<String> IPV4 =
      List.of("10.0.0.1", "10.0.0.7", "10.0.1.0", "0.0.0.0", "0.0.0.1", "255.255.255.250");
  private static final List<String> IPV6 =
      List.of(
          "2001:db8::1",
          "2001:db8::7",
          "2001:db8::ffff:ffff:ffff:fffb",
          "fe80::1%3",
          "::",
          "::1",
          "::ffff:0.0.0.0",
          "::fffe:ffff:fffd",
          "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffa");
  private static final List<String> PORTS = List.of("5000", "5003", "1", "0", "65531", "65535");

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final Random random = new Random(seed);

  /** A vector to which everything goes address by address. */
  private static final class OneByOne implements AutoCloseable {
    private final CoreAddressVector vector;
    private final EntryStore store;
    private final NodeAddresses nodes;
    private final HandleLayout layout;

    OneByOne(TestInfo info, VectorOptions options) {
      FabricInfo built = info.build();
      vector = open(info, options);
      store = vector.store;
      layout = vector.layout;
      VectorOptions nobody = options.withResolver(name -> List.of());
      AddressCodec codec = AddressCodec.of(built.addressFormat());
      nodes = new NodeAddresses(codec, nobody, true, EndpointType.DGRAM);
    }

    Insertion insert(String node, int nodeCount, String service, int services) {
      return eachOf(vector, nodes.symmetric(node, nodeCount, service, services));
    }

    @Override
    public void close() {
      vector.close();
    }
  }

  private static Insertion eachOf(CoreAddressVector vector, AddressSource source) {
    CoreInsertion insertion = CoreInsertion.ofEach(source, vector.layout);
    vector.insert(source, null, 0, (_, outcome) -> insertion.add(outcome));
    return insertion.complete(vector.store.shortage());
  }

  @ParameterizedTest
  @CsvSource({
    "SOCKADDR_IN, SHARE",
    "SOCKADDR_IN, REJECT",
    "SOCKADDR_IN, NEW_INDEX",
    "SOCKADDR_IN6, SHARE",
    "SOCKADDR_IN6, REJECT",
    "SOCKADDR_IN6, NEW_INDEX",
    "SOCKADDR, SHARE",
    "SOCKADDR_IP, NEW_INDEX",
    "STR, SHARE",
  })
  void rangesFareLikeTheirAddresses(AddressFormat format, DuplicatePolicy duplicates) {
    for (int round = 0; round < 20; round++) {
      boolean map = random.nextBoolean();
      // Below 2.0 handles of MAP are opaque.
      TestInfo info = TestInfo.defaults().format(format).version(map ? 1 : 2, map ? 20 : 0);
      VectorOptions options =
          (map ? VectorOptions.map() : VectorOptions.table()).withDuplicates(duplicates);
      if (format == AddressFormat.SOCKADDR_IP) {
        info = TestInfo.defaults().format(format);
      }
      try (CoreAddressVector vector = open(info, options);
          OneByOne model = new OneByOne(info, options)) {
        for (int call = 0; call < 6; call++) {
          step(vector, model);
        }
      }
    }
  }

  private void step(CoreAddressVector vector, OneByOne model) {
    AddressFormat format = vector.format();
    boolean ipv4 =
        format == AddressFormat.SOCKADDR_IN
            || (format != AddressFormat.SOCKADDR_IN6 && random.nextBoolean());
    if (random.nextInt(20) == 0) {
      ipv4 = !ipv4;
    }
    List<String> names = ipv4 ? IPV4 : IPV6;
    String node = names.get(Math.min(random.nextInt(names.size()), random.nextInt(names.size())));
    String port = PORTS.get(Math.min(random.nextInt(6), random.nextInt(6)));
    int nodes = random.nextInt(random.nextBoolean() ? 4 : 40);
    int services = random.nextInt(random.nextBoolean() ? 3 : 12);
    String what = node + " x " + nodes + ", " + port + " x " + services + ", -Dofi4j.seed=" + seed;

    Insertion expected = model.insert(node, nodes, port, services);
    int count = expected.requested();
    long[] handles;
    if (random.nextBoolean()) {
      Insertion outcome = vector.insertSymmetric(node, nodes, port, services, InsertOptions.none());
      assertThat(outcome.isDone()).isTrue();
      assertThat(outcome.requested()).as(what).isEqualTo(count);
      assertThat(outcome.inserted()).as(what).isEqualTo(expected.inserted());
      assertThat(outcome.result()).as(what).isEqualTo(expected.inserted());
      assertThat(outcome.failures()).as(what).isEqualTo(expected.failures());
      handles = outcome.handles();
      for (int i = 0; i < count; i++) {
        same(outcome.handle(i), handles[i], "%s: handle %d", what, i);
        same(outcome.error(i), expected.error(i), "%s: error %d", what, i);
      }
      fails(Errno.EINVAL, "position " + count, () -> outcome.handle(count));
      fails(Errno.EINVAL, "position -1", () -> outcome.error(-1));
    } else {
      handles = new long[count];
      int[] errors = new int[count + 1];
      Arrays.fill(errors, 77);
      int inserted =
          vector.insertSymmetric(
              node,
              nodes,
              port,
              services,
              MemorySegment.ofArray(handles),
              MemorySegment.ofArray(errors),
              SYNC_ERR,
              null);
      assertThat(inserted).as(what).isEqualTo(expected.inserted());
      for (int i = 0; i < count; i++) {
        same(errors[i], expected.error(i), "%s: error %d", what, i);
      }
      assertThat(errors[count]).isEqualTo(77);
    }
    assertThat(handles).as(what).containsExactly(expected.handles());
    assertThat(vector.size()).as(what).isEqualTo(model.store.size());
    compare(vector, model, what);
    remove(vector, model, handles);
  }

  /** Every index holds the same, and every address is found at the same handle. */
  private void compare(CoreAddressVector vector, OneByOne model, String what) {
    AddressKey key = new AddressKey();
    AddressCodec codec = AddressCodec.of(vector.format());
    int end = (int) model.store.highWaterMark() + 10;
    for (int i = 0; i < end; i++) {
      boolean live = model.store.load(i, key);
      int index = i;
      if (live) {
        FabricAddress address = codec.toValue(key);
        long handle = vector.handleAt(index);
        assertThat(vector.lookup(handle)).as(what).isEqualTo(address);
        assertThat(vector.find(address)).as(what).isEqualTo(vector.handleAt(model.store.find(key)));
      } else {
        fails(Errno.EINVAL, () -> vector.handleAt(index));
      }
    }
  }

  private void remove(CoreAddressVector vector, OneByOne model, long[] handles) {
    int attempts = handles.length == 0 ? 0 : random.nextInt(Math.min(handles.length, 10));
    for (int i = 0; i < attempts; i++) {
      long gone = handles[random.nextInt(handles.length)];
      int index = model.layout.index(gone);
      if (index >= 0 && model.store.isLive(index)) {
        vector.remove(gone);
        model.store.remove(index);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 100, 5000, 10",
    "10.0.0.1, 100, 65526, 10",
    "255.255.255.216, 40, 1, 3",
    "2001:db8::ffff:ffff:ffff:fff0, 100, 5000, 3"
  })
  void whatComesBehindTheEndOfMemoryIsNotTried(String node, int nodes, String port, int services) {
    TestInfo info = TestInfo.defaults().format(AddressFormat.SOCKADDR);
    AddressCodec codec = AddressCodec.of(AddressFormat.SOCKADDR);
    AddressSource source = source(codec, node, nodes, port, services);
    for (int capacity : new int[] {0, 1, 2, 17, 48, 200, 100_000}) {
      StoreOptions options =
          new StoreOptions(0, true, DuplicatePolicy.SHARE, capacity, seed, false);
      Insertion[] outcomes = new Insertion[2];
      for (int i = 0; i < 2; i++) {
        EntryStore store = new EntryStore(options, MemorySource.system());
        try (CoreAddressVector vector = openOn(info, store)) {
          outcomes[i] = i == 0 ? eachOf(vector, source) : vector.insertRanges(source, 0);
        }
      }
      int count = nodes * services;
      same(outcomes[1].inserted(), outcomes[0].inserted(), "inserted");
      assertThat(outcomes[1].handles()).containsExactly(outcomes[0].handles());
      assertThat(outcomes[1].failures()).isEqualTo(outcomes[0].failures());
      int[] errors = new int[count];
      ((CoreInsertion) outcomes[1]).write(null, MemorySegment.ofArray(errors));
      for (int i = 0; i < count; i++) {
        same(outcomes[1].error(i), outcomes[0].error(i), "error %d", i);
        same(errors[i], outcomes[0].error(i), "error %d", i);
      }
      assertThat(outcomes[1].inserted()).isLessThanOrEqualTo(capacity);
    }
  }

  private static AddressSource source(
      AddressCodec codec, String node, int nodes, String port, int services) {
    return new SymmetricAddresses(
        codec,
        NodeRange.numeric(node),
        nodes,
        port,
        new ServicePort(Integer.parseInt(port), Errno.SUCCESS, ""),
        services);
  }

  @Test
  void failuresAreFoundWhereverTheyAre() {
    CoreAddressVector vector =
        open(TestInfo.defaults(), VectorOptions.table().withDuplicates(DuplicatePolicy.REJECT));
    vector.insertSymmetric("10.0.0.2", 1, "65534", 2, InsertOptions.none()).orThrow();
    Insertion outcome = vector.insertSymmetric("10.0.0.1", 3, "65533", 5, InsertOptions.none());
    assertThat(outcome.inserted()).isEqualTo(7);
    assertThat(outcome.failures())
        .extracting(InsertionFailure::position)
        .containsExactly(3, 4, 6, 7, 8, 9, 13, 14);
    assertThat(outcome.failures())
        .extracting(InsertionFailure::errno)
        .containsExactly(
            Errno.EADDRNOTAVAIL,
            Errno.EADDRNOTAVAIL,
            Errno.EALREADY,
            Errno.EALREADY,
            Errno.EADDRNOTAVAIL,
            Errno.EADDRNOTAVAIL,
            Errno.EADDRNOTAVAIL,
            Errno.EADDRNOTAVAIL);
    assertThat(outcome.failures().getFirst())
        .isEqualTo(
            InsertionFailure.of(
                3,
                "10.0.0.1:65536",
                Errno.EADDRNOTAVAIL,
                "port 65536 does not exist: the last one is 65535"));
    fails(Errno.EADDRNOTAVAIL, "8 of 15 addresses failed", outcome::orThrow);
    assertThat(outcome).hasToString("7 of 15 addresses inserted");
  }

  @Test
  @Tag("AV-104")
  void attachedIdsAreKept() {
    TestInfo info = TestInfo.defaults().capabilities(Capability.AV_USER_ID);
    CoreAddressVector vector = open(info, VectorOptions.table());
    long[] ids = {7, 8, 9, 10};
    Insertion outcome =
        vector.insertSymmetric("10.0.0.1", 2, "5000", 2, InsertOptions.none().withUserIds(ids));
    assertThat(outcome.inserted()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      assertThat(reported(vector, outcome.handle(i))).isEqualTo(ids[i]);
    }
  }

  @Test
  void resultsOfTwoBillionAddressesAreComputed() {
    int count = Integer.MAX_VALUE - 1;
    AddressSource source =
        source(AddressCodec.of(AddressFormat.SOCKADDR), "64.0.0.1", count, "5000", 1);
    RangeOutcome pieces = new RangeOutcome();
    pieces.add(1_000_000_000, 0);
    pieces.add(1, -Errno.EALREADY.number());
    pieces.add(count - 1_000_000_002, 1_000_000_000);
    pieces.add(1, 3); // shared
    HandleLayout layout = HandleLayout.of(true, 0, 0, false);
    long before = Allocation.bytes();
    Insertion outcome = new CoreInsertion(source, layout, pieces).complete("nothing");
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
      sum += outcome.handle(i * 2_000_000) + outcome.error(i * 2_000_000);
    }
    long allocated = Allocation.bytes() - before;
    assertThat(sum).isPositive();
    assertThat(allocated).isLessThan(1_000_000);
    assertThat(outcome.requested()).isEqualTo(count);
    assertThat(outcome.inserted()).isEqualTo(count - 1);
    assertThat(outcome.handle(0)).isZero();
    assertThat(outcome.handle(999_999_999)).isEqualTo(999_999_999);
    assertThat(outcome.handle(1_000_000_000)).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(outcome.error(1_000_000_000)).isEqualTo(Errno.EALREADY.number());
    assertThat(outcome.handle(1_000_000_001)).isEqualTo(1_000_000_000);
    assertThat(outcome.handle(count - 2)).isEqualTo(count - 3);
    assertThat(outcome.handle(count - 1)).isEqualTo(3);
    assertThat(outcome.failures())
        .singleElement()
        .returns(1_000_000_000, InsertionFailure::position)
        .returns("64.0.0.1 + 1000000000:5000", InsertionFailure::address)
        .returns(Errno.EALREADY, InsertionFailure::errno);
  }

  @Test
  void memoryOfTheCallerTakesAMillion() {
    int nodes = 1000;
    int services = 1001;
    int count = nodes * services;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handles = arena.allocate(8L * count);
      MemorySegment errors = arena.allocate(4L * count).fill((byte) 7);
      CoreAddressVector vector = open(TestInfo.defaults(), VectorOptions.table());
      int inserted =
          vector.insertSymmetric(
              "10.0.0.1", nodes, "5000", services, handles, errors, SYNC_ERR, null);
      assertThat(inserted).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        same(handles.getAtIndex(ValueLayout.JAVA_LONG, i), i, "handle %s", i);
        same(errors.getAtIndex(ValueLayout.JAVA_INT, i), 0, "error %s", i);
      }
      vector.close();
    }
  }
}
