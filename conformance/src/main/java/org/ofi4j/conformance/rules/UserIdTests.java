// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** UID and UI: what completions report instead of handles, seen through messages. */
@ConformanceTest
class UserIdTests extends AddressTests {
  private static final long USER_ID = InsertFlag.USER_ID.mask();
  private static final VectorOptions FOR_IDS = VectorOptions.table().withFlags(VectorFlag.USER_ID);

  private static Setup setup(ApiVersion version) {
    return Setup.of(version).caps(Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID);
  }

  /** Versions from 1.16, all formats, once each, with datagrams and with reliable messages. */
  static Stream<Setup> setups() {
    return TrafficSetups.of(
        setup(ApiVersion.V2_1), setup(ApiVersion.V1_16), setup(ApiVersion.V1_20));
  }

  /** The same with versions from 1.20. */
  static Stream<Setup> openTimeSetups() {
    return setups().filter(setup -> setup.isAtLeast(ApiVersion.V1_20));
  }

  /** What a message from one to the other is reported to come from. */
  private static long source(Peer from, long destination, Peer to) {
    return Peer.source(from.exchange(destination, to));
  }

  /** Indices at both sides of the places where something that keeps ids may end. */
  @Proves(partly = {"AV-175", "AV-187"})
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyIndexHasItsId(boolean byCall, ConformanceEnvironment environment) {
    Setup setup = setup(ApiVersion.V2_1);
    Domain domain = environment.domain(setup);
    AddressVector vector = environment.vector(domain, byCall ? FOR_IDS : VectorOptions.table());
    Expect.room(vector.insert(Addresses.scattered(format(), 0, 70_000), InsertOptions.none()));
    Peer server = environment.peer(vector);
    Peer client = environment.peer(domain);
    long self = client.insert(server);
    for (int index : new int[] {0, 63, 64, 65, 127, 128, 255, 256, 1023, 4096, 65_535, 65_536}) {
      long id = 0x0DD_0000_0000L + index;
      vector.remove(index);
      long handle = byCall ? server.insert(client) : server.insert(client, id);
      assertThat(handle).isEqualTo(index);
      if (byCall) {
        vector.setUserId(handle, new UserId(id));
      }
      assertThat(source(client, self, server)).as("id of index %d", index).isEqualTo(id);
      vector.remove(handle);
      vector
          .insert(Addresses.scattered(format(), 100_000 + index, 1), InsertOptions.none())
          .orThrow();
    }
  }

  /** What held an id holds no handle if the address failed. */
  @Proves("AV-207")
  @ParameterizedTest
  @EnumSource(names = {"PACKED", "COLLECTION"})
  void anIdDoesNotStayWhereTheHandleWouldBe(InsertForm form, ConformanceEnvironment environment) {
    for (ApiVersion version : List.of(ApiVersion.V1_16, ApiVersion.V2_1)) {
      AddressVector vector = environment.vector(setup(version));
      Inserted inserted =
          form.insert(vector, List.of(a(1), bad(), a(2)), USER_ID, new long[] {5, 6, 7}, null);
      assertThat(inserted.fi()).containsExactly(0, Handles.NOT_AVAILABLE, 1);
      var async = environment.asyncVector(setup(version));
      inserted =
          form.insert(async.vector(), List.of(bad(), a(1)), USER_ID, new long[] {5, 6}, "context");
      async.events().untilCompletion();
      assertThat(inserted.fi(0)).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(async.vector().lookup(inserted.fi(1))).isEqualTo(a(1));
    }
  }

  @Proves(partly = {"AV-184", "AV-185"})
  @EachSetup
  void handlesAreDestinationsAndSources(Setup setup, ConformanceEnvironment environment) {
    for (VectorType type : List.of(VectorType.TABLE, VectorType.MAP)) {
      Peer server =
          environment.peer(environment.vector(setup, VectorOptions.defaults().withType(type)));
      Peer client = environment.peer(server.vector());
      long self = server.insert(server);
      long other = server.insert(client);

      assertThat(source(server, other, client)).isEqualTo(self);
      assertThat(source(client, self, server)).isEqualTo(other);
      assertThat(source(server, self, server)).as("to itself").isEqualTo(self);
    }
  }

  @Proves(partly = {"AV-103", "AV-187", "AV-189", "AV-191", "AV-192"})
  @EachSetup
  void idsGivenAtInsertAreReported(Setup setup, ConformanceEnvironment environment) {
    for (InsertForm form : List.of(InsertForm.PACKED, InsertForm.COLLECTION)) {
      for (VectorType type : List.of(VectorType.TABLE, VectorType.MAP)) {
        AddressVector vector = environment.vector(setup, VectorOptions.defaults().withType(type));
        Peer server = environment.peer(vector);
        Peer one = environment.peer(vector.domain());
        Peer two = environment.peer(vector.domain());
        long[] ids = {0x10, 0x20};

        Inserted inserted =
            form.insert(vector, List.of(one.name(), two.name()), USER_ID, ids, null);

        assertThat(inserted.fi(0)).as("the handle, not the id").isEqualTo(vector.handleAt(0));
        assertThat(inserted.fi(1)).isEqualTo(vector.handleAt(1));
        assertThat(source(one, one.insert(server), server)).isEqualTo(0x10);
        assertThat(source(two, two.insert(server), server)).isEqualTo(0x20);
        Expect.invalid(() -> server.endpoint().send(Peer.message("x"), 0x10, null));
        server.exchange(inserted.fi(1), two);
      }
    }
  }

  @Proves(partly = {"AV-103", "AV-189"})
  @ParameterizedTest
  @EnumSource
  void allInsertCallsTakeIds(InsertCall call, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup(ApiVersion.V2_1));

    Inserted inserted = call.insert(vector, USER_ID, new long[] {0xabc});

    assertThat(inserted.result()).isEqualTo(1);
    assertThat(inserted.fi()).containsExactly(0);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
    Expect.unset(vector, 0xabc);
  }

  @Proves(partly = "AV-189")
  @Test
  void servicesAndRangesTakeIds(ConformanceEnvironment environment) {
    Setup sockets = setup(ApiVersion.V2_1).format(AddressFormat.SOCKADDR_IN);
    AddressVector vector = environment.vector(sockets);
    Peer server = environment.peer(vector);
    Peer one = environment.peer(vector.domain());
    Peer two = environment.peer(vector.domain());
    String port = String.valueOf(((SocketAddress4) one.name()).port());
    int other = ((SocketAddress4) two.name()).port();

    vector.insertService("127.0.0.1", port, InsertOptions.none().withUserIds(7)).orThrow();
    vector
        .insertSymmetric(
            "127.0.0.0", 2, String.valueOf(other), 1, InsertOptions.none().withUserIds(8, 9))
        .orThrow();

    assertThat(source(one, one.insert(server), server)).isEqualTo(7);
    assertThat(source(two, two.insert(server), server)).as("second of the range").isEqualTo(9);
  }

  @Proves(partly = {"AV-187", "AV-103", "AV-175"})
  @Test
  void anyNumberIsAnId(ConformanceEnvironment environment) {
    Peer server = environment.peer(environment.vector(setup(ApiVersion.V2_1)));
    Peer client = environment.neighbour(server);
    long self = client.insert(server);
    for (long id : new long[] {0, 1, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, 5}) {
      long handle = server.insert(client, id);
      assertThat(source(client, self, server)).isEqualTo(id);
      server.vector().remove(handle);
    }
  }

  @Proves(partly = "AV-103")
  @Test
  void anIdDiesWithItsEntry(ConformanceEnvironment environment) {
    Peer server = environment.peer(environment.vector(setup(ApiVersion.V2_1)));
    Peer client = environment.neighbour(server);
    Peer other = environment.neighbour(server);
    long self = client.insert(server);
    long handle = server.insert(client, 0xabc);

    server.vector().remove(handle);
    long again = server.insert(client);
    assertThat(again).isEqualTo(handle);
    assertThat(source(client, self, server)).as("no id was given this time").isEqualTo(handle);
    server.vector().remove(handle);
    assertThat(server.insert(other)).isEqualTo(handle);
    assertThat(source(other, other.insert(server), server)).isEqualTo(handle);
  }

  @Proves(partly = {"AV-103", "AV-178"})
  @Test
  void theLastIdWinsAmongSharedDuplicates(ConformanceEnvironment environment) {
    Peer server =
        environment.peer(
            environment.vector(
                setup(ApiVersion.V2_1),
                VectorOptions.table().withDuplicates(DuplicatePolicy.SHARE)));
    Peer client = environment.neighbour(server);
    long self = client.insert(server);

    long handle = server.insert(client, 1);
    assertThat(server.insert(client, 2)).isEqualTo(handle);

    assertThat(source(client, self, server)).isEqualTo(2);
    server.vector().remove(handle);
    assertThat(source(client, self, server)).as("one count is left").isEqualTo(2);
  }

  @Proves("AV-190")
  @Test
  void everyAddressNeedsAnId(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup(ApiVersion.V2_1));
    var two = list(1, 2);
    MemorySegment packed = pack(two);
    MemorySegment one = MemorySegment.ofArray(new long[1]);

    Expect.invalid(() -> vector.insert(packed, 2, null, null, USER_ID, null));
    Expect.invalid(() -> vector.insert(packed, 2, one, null, USER_ID, null));
    Expect.invalid(() -> vector.insert(two, InsertOptions.of(InsertFlag.USER_ID)));
    Expect.invalid(() -> vector.insert(two, InsertOptions.none().withUserIds(1)));
    Expect.invalid(() ->
        vector.insertSymmetric("10.1.1.1", 2, "5000", 1, InsertOptions.none().withUserIds(1)));
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = {"AV-096", "AV-175", "AV-176", "AV-193"})
  @ParameterizedTest
  @MethodSource("openTimeSetups")
  void idsSetByCallAreReported(Setup setup, ConformanceEnvironment environment) {
    for (VectorType type : List.of(VectorType.TABLE, VectorType.MAP)) {
      AddressVector vector = environment.vector(setup, FOR_IDS.withType(type));
      Peer server = environment.peer(vector);
      Peer client = environment.peer(vector.domain());
      long self = client.insert(server);
      long handle = server.insert(client);

      assertThat(source(client, self, server)).isEqualTo(Handles.NOT_AVAILABLE);
      vector.setUserId(handle, new UserId(0xdead));
      assertThat(source(client, self, server)).isEqualTo(0xdead);
      vector.setUserId(handle, new UserId(0xbeef));
      assertThat(source(client, self, server)).as("the last one set").isEqualTo(0xbeef);
      vector.setUserId(handle, new UserId(0));
      assertThat(source(client, self, server)).isZero();

      vector.remove(handle);
      long again = server.insert(client);
      assertThat(source(client, self, server))
          .as("a new life has no id")
          .isEqualTo(Handles.NOT_AVAILABLE);
      server.exchange(again, client);
    }
  }

  /** Values in the handle array on input are not ids either, with the flag or without. */
  @Proves("AV-193")
  @ParameterizedTest
  @EnumSource
  void vectorForIdsTakesNoneAtInsert(InsertCall call, ConformanceEnvironment environment) {
    long[] id = {0x77};
    for (ApiVersion version : List.of(ApiVersion.V1_20, ApiVersion.V2_1)) {
      AddressVector vector = environment.vector(setup(version), FOR_IDS);
      AsyncVector async = environment.asyncVector(setup(version), FOR_IDS);

      Expect.invalid(() -> call.insert(vector, USER_ID, id));
      Expect.invalid(() -> call.insert(async.vector(), USER_ID, id));
      assertThat(vector.size()).isZero();
      async.events().expectSilence();

      long handle = call.insert(vector, 0, call.isPacked() ? id : null).fi(0);
      assertThat(vector.userId(handle)).isEmpty();
      vector.setUserId(handle, new UserId(0x99));
      assertThat(vector.userId(handle)).hasValue(0x99);
      Expect.invalid(() -> call.insert(vector, USER_ID, id));
      assertThat(vector.userId(handle)).as("after a refused call").hasValue(0x99);
      call.insert(async.vector(), 0, call.isPacked() ? id : null);
      async.events().untilCompletion();
      assertThat(async.vector().userId(0)).isEmpty();
      async.vector().setUserId(0, new UserId(0x99));
      assertThat(async.vector().userId(0)).hasValue(0x99);
    }
  }

  @Proves("AV-193")
  @ParameterizedTest
  @MethodSource("openTimeSetups")
  void inputOfInsertIsReportedByNoVectorForIds(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, FOR_IDS);
    Peer server = environment.peer(vector);
    Peer client = environment.peer(vector.domain());
    MemorySegment input = MemorySegment.ofArray(new long[] {0x77});
    MemorySegment packed = Addresses.pack(vector.format(), List.of(client.name()));

    assertThat(vector.insert(packed, 1, input, null, 0, null)).isEqualTo(1);

    long self = client.insert(server);
    assertThat(source(client, self, server)).isEqualTo(Handles.NOT_AVAILABLE);
    vector.setUserId(input.getAtIndex(ValueLayout.JAVA_LONG, 0), new UserId(0x99));
    assertThat(source(client, self, server)).isEqualTo(0x99);
  }

  @Proves("AV-175")
  @ParameterizedTest
  @MethodSource("openTimeSetups")
  void settingAnIdNeedsAnEntry(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, FOR_IDS);
    long handle = vector.insert(Addresses.a(vector.format(), 1));
    long stale = vector.insert(Addresses.a(vector.format(), 2));
    vector.remove(stale);

    for (long bad : new long[] {stale, 99, Handles.NOT_AVAILABLE, 1L << 31, 1L << 40}) {
      Expect.invalid(() -> vector.setUserId(bad, new UserId(7)));
    }
    vector.setUserId(handle, new UserId(7));
  }

  @Proves("AV-175")
  @ParameterizedTest
  @CsvSource({"1, 0", "1, 15", "1, 16", "1, 20", "2, 1"})
  void settingAnIdNeedsTheFlagAtOpenAndTheVersion(
      int major, int minor, ConformanceEnvironment environment) {
    ApiVersion version = new ApiVersion(major, minor);
    boolean has = version.isAtLeast(ApiVersion.V1_20);
    AddressVector vector = environment.vector(has ? setup(version) : Setup.of(version));
    vector.insert(a(1));

    Expect.failure(has ? Errno.EINVAL : Errno.ENOSYS, () -> vector.setUserId(0, new UserId(7)));
  }

  @Proves(partly = "AV-177")
  @ParameterizedTest
  @MethodSource("openTimeSetups")
  void addressesAreNoKeys(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, FOR_IDS);
    long handle = vector.insert(Addresses.a(vector.format(), 1));

    Expect.invalid(() -> vector.setAuthKeyUserId(handle, new UserId(7)));
  }

  @Proves(partly = "AV-105")
  @Test
  void aVectorForIdsMayBeSymmetric(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            setup(ApiVersion.V2_1),
            VectorOptions.table().withFlags(VectorFlag.USER_ID, VectorFlag.SYMMETRIC));
    vector.insertSymmetric("10.1.1.1", 4, "5000", 4).orThrow();
    for (int i = 0; i < 16; i++) {
      vector.setUserId(i, new UserId(1000 + i));
    }
    assertThat(vector.size()).isEqualTo(16);
  }
}
