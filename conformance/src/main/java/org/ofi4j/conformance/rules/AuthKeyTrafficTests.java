// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.rules.AuthKeyTests.key;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.MemoryRegion;
import org.ofi4j.RegisterOptions;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;

/**
 * Traffic under authorization keys: whom an endpoint hears, and how receives and regions choose.
 */
@ConformanceTest
class AuthKeyTrafficTests {
  private static final boolean[] BOTH = {false, true};

  /** Longer than it takes a peer to refuse, shorter than a test may take. */
  private static final Duration IMPATIENT = Duration.ofMillis(500);

  private static Hints hints(ApiVersion version, Capability... more) {
    return Hints.of(version)
        .withEndpointType(EndpointType.RDM)
        .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .withMoreCapabilities(more)
        .withAuthKeys(AuthKeyHints.inVector(4));
  }

  static List<Hints> setups() {
    return List.of(
        hints(ApiVersion.V1_20, Capability.DIRECTED_RECEIVE),
        hints(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE));
  }

  /** An endpoint with keys, and their handles. */
  private record Tenant(Peer peer, long[] keys) {
    static Tenant open(ConformanceEnvironment environment, Hints hints, int... keys) {
      return open(environment, hints, VectorOptions.table(), keys);
    }

    static Tenant open(
        ConformanceEnvironment environment, Hints hints, VectorOptions options, int... keys) {
      Domain domain = environment.domain(hints);
      AddressVector vector = environment.vector(domain, options);
      long[] handles =
          Arrays.stream(keys).mapToLong(each -> vector.insertAuthKey(key(each))).toArray();
      return new Tenant(environment.peer(vector), handles);
    }

    AddressVector vector() {
      return peer.vector();
    }

    /** The handle of another one under one of the keys. */
    long insert(Tenant other, int key) {
      return insertUnder(vector(), other.peer.name(), keys[key]);
    }

    void send(String text, long to, boolean tagged) {
      if (tagged) {
        peer.reliable()
            .injectTagged(
                new TaggedSendRequest().memory(Peer.message(text)).destination(to).tag(Peer.TAG));
      } else {
        peer.endpoint().inject(Peer.message(text), to);
      }
    }

    void receive(long source, boolean tagged, Object context) {
      peer.receive(source, tagged, context);
    }

    void receiveUnderKey(long key, boolean tagged, Object context) {
      peer.receiveUnderKey(key, tagged, context);
    }

    /** The next completion is that of a receive, from that source. */
    void expect(Object context, long source) {
      peer.expect(context, source);
    }
  }

  static long insertUnder(AddressVector vector, FabricAddress address, long key) {
    return vector.insert(List.of(address), InsertOptions.none().withAuthKeys(key)).handles()[0];
  }

  /** What becomes of a message that goes to an address under a key. */
  static Completion.Failure refused(
      ConformanceEnvironment environment,
      Hints hints,
      FabricAddress to,
      int key,
      Duration patience) {
    Domain domain = environment.domain(hints);
    AddressVector vector = environment.vector(domain);
    long handle = insertUnder(vector, to, vector.insertAuthKey(key(key)));
    ConnectionOptions connections = ConnectionOptions.defaults().withConnectTimeout(patience);
    Peer peer = environment.peer(vector, options -> options.withConnections(connections));
    peer.endpoint().send(Peer.message("refused"), handle, "refused");
    return peer.nextFailure();
  }

  @Proves("AV-157")
  @EachSetup
  void endpointHearsThoseUnderItsKeys(Hints hints, ConformanceEnvironment environment) {
    Tenant server = Tenant.open(environment, hints, 1, 2);
    for (int key = 1; key <= 2; key++) {
      Tenant client = Tenant.open(environment, hints, key);
      long known = server.insert(client, key - 1);
      for (boolean tagged : BOTH) {
        server.receive(Handles.UNSPECIFIED, tagged, "under " + key);
        client.send("hello", client.insert(server, 0), tagged);
        server.expect("under " + key, known);
      }
    }
    server.receive(Handles.UNSPECIFIED, false, "under none");
    assertThat(refused(environment, hints, server.peer().name(), 3, IMPATIENT).errno())
        .isEqualTo(Errno.EKEYREJECTED);
    assertThat(server.peer().poll()).isNull();
  }

  @Proves({"AV-158", "AV-159"})
  @EachSetup
  void keysCountThatWereThereWhenItWasOpened(Hints hints, ConformanceEnvironment environment) {
    Tenant server = Tenant.open(environment, hints, 1);
    server.vector().insertAuthKey(key(2));
    assertThat(refused(environment, hints, server.peer().name(), 2, IMPATIENT).errno())
        .isEqualTo(Errno.EKEYREJECTED);

    Peer second = environment.peer(server.vector());
    Tenant client = Tenant.open(environment, hints, 2);
    second.receive("later");
    client.send("hello", insertUnder(client.vector(), second.name(), client.keys()[0]), false);
    assertThat(second.nextSuccess().context()).isEqualTo("later");
  }

  @Proves("AV-159")
  @Test
  void openingTakesKeys(ConformanceEnvironment environment) {
    Domain domain = environment.domain(hints(ApiVersion.V2_1));
    AddressVector vector = environment.vector(domain);
    EndpointOptions options = EndpointOptions.of(vector, environment.completionQueue(domain));
    Expect.invalid(() -> environment.endpoint(domain, options));
    vector.insertAuthKey(key(1));
    environment.endpoint(domain, options);
  }

  @Proves("AV-095")
  @EachSetup
  void handleNarrowsReceiveToAddressAndKey(Hints hints, ConformanceEnvironment environment) {
    Tenant server = Tenant.open(environment, hints, 1, 2);
    Tenant client = Tenant.open(environment, hints, 1, 2);
    long first = server.insert(client, 0);
    long second = server.insert(client, 1);
    for (boolean tagged : BOTH) {
      server.receive(first, tagged, "first");
      server.receive(Handles.UNSPECIFIED, tagged, "any");
      client.send("2", client.insert(server, 1), tagged);
      server.expect("any", second);
      client.send("1", client.insert(server, 0), tagged);
      server.expect("first", first);
    }
  }

  @Proves({"AV-162", "AV-165", "AV-186"})
  @EachSetup
  void keyHandleNarrowsReceiveToKey(Hints hints, ConformanceEnvironment environment) {
    Tenant server = Tenant.open(environment, hints, 1, 2);
    Tenant one = Tenant.open(environment, hints, 1, 2);
    Tenant other = Tenant.open(environment, hints, 1);
    for (boolean tagged : BOTH) {
      // Nobody is in the server's vector.
      server.receiveUnderKey(server.keys()[0], tagged, "first");
      server.receiveUnderKey(server.keys()[0], tagged, "again");
      server.receiveUnderKey(server.keys()[1], tagged, "second");
      one.send("2", one.insert(server, 1), tagged);
      server.expect("second", Handles.NOT_AVAILABLE);
      one.send("1", one.insert(server, 0), tagged);
      server.expect("first", Handles.NOT_AVAILABLE);
      other.send("1", other.insert(server, 0), tagged);
      server.expect("again", Handles.NOT_AVAILABLE);
    }
  }

  /** Bits of the tag that a receive ignores say nothing about its key. */
  @Proves("AV-165")
  @EachSetup
  void receivesThatIgnoreTagBitsKeepToTheirKey(Hints hints, ConformanceEnvironment environment) {
    Tenant server = Tenant.open(environment, hints, 1, 2);
    Tenant client = Tenant.open(environment, hints, 1, 2);
    Peer at = server.peer();
    long[] to = {client.insert(server, 0), client.insert(server, 1)};
    for (TagPattern pattern : Peer.PATTERNS) {
      at.receiveUnderKey(server.keys()[0], pattern, "first");
      at.receiveUnderKey(server.keys()[1], pattern, "second");
      client.send("2", to[1], true);
      server.expect("second", Handles.NOT_AVAILABLE);
      client.send("1", to[0], true);
      server.expect("first", Handles.NOT_AVAILABLE);

      client.send("early, 1", to[0], true);
      client.send("early, 2", to[1], true);
      MemorySegment second = at.receiveUnderKey(server.keys()[1], pattern, "second");
      at.expect("second", Handles.NOT_AVAILABLE, "early, 2", second);
      MemorySegment first = at.receiveUnderKey(server.keys()[0], pattern, "first");
      at.expect("first", Handles.NOT_AVAILABLE, "early, 1", first);
    }
  }

  @Proves({"AV-165", "AV-186"})
  @Test
  void keyHandleIsOneBesideItsFlagAlone(ConformanceEnvironment environment) {
    Tenant server =
        Tenant.open(environment, hints(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE), 1);
    Expect.invalid(() -> server.receive(server.keys()[0], false, "none"));
    Expect.invalid(() -> server.receiveUnderKey(server.keys()[0] + 1, false, "none"));
    Expect.invalid(() -> server.receiveUnderKey(0, true, "none"));
  }

  private static Completion.Failure fromStranger(Tenant server, Tenant client, int key) {
    server.receive(Handles.UNSPECIFIED, false, "stranger");
    client.send("hello", client.insert(server, key), false);
    Completion.Failure failure = server.peer().nextFailure();
    assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    return failure;
  }

  @Proves({"AV-169", "AV-186"})
  @Test
  void strangerIsReportedWithHandleOfKey(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.SOURCE_ERR);
    Tenant server = Tenant.open(environment, hints, 1, 2);
    Tenant client = Tenant.open(environment, hints, 2, 1);
    assertThat(fromStranger(server, client, 0).source()).isEqualTo(server.keys()[1]);
    assertThat(fromStranger(server, client, 1).source()).isEqualTo(server.keys()[0]);
  }

  @Proves({"AV-168", "AV-186"})
  @Test
  void strangerIsReportedWithUserIdOfKey(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.SOURCE_ERR, Capability.AV_USER_ID);
    Tenant server =
        Tenant.open(environment, hints, VectorOptions.table().withFlags(VectorFlag.USER_ID), 1);
    Tenant client = Tenant.open(environment, hints, 1);
    assertThat(fromStranger(server, client, 0).source()).isEqualTo(Handles.NOT_AVAILABLE);
    server.vector().setAuthKeyUserId(server.keys()[0], new UserId(0x1234));
    assertThat(fromStranger(server, client, 0).source()).isEqualTo(0x1234);
  }

  private static MemorySegment memory(long value) {
    return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, value);
  }

  /** What a client reads; null if it may not, and then nothing has come. */
  private static @Nullable Long read(Tenant client, long from, MemoryRegion region) {
    MemorySegment into = memory(0);
    Object context = new Object();
    client.peer().reliable().read(into, from, region.place(), context);
    Completion completion = client.peer().completionOf(context);
    long value = into.get(ValueLayout.JAVA_LONG, 0);
    if (completion instanceof Completion.Failure) {
      assertThat(value).isZero();
      return null;
    }
    return value;
  }

  @Proves({"AV-166", "AV-220"})
  @Test
  void regionIsForOneAddressUnderItsKey(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE, Capability.RMA);
    Tenant server = Tenant.open(environment, hints, 1);
    Tenant client = Tenant.open(environment, hints, 1);
    Tenant other = Tenant.open(environment, hints, 1);
    MemorySegment memory = memory(42);
    long only = server.insert(client, 0);
    MemoryRegion region = environment.keep(registerForPeer(server.vector(), memory, only));
    assertThat(read(other, other.insert(server, 0), region)).isNull();
    assertThat(read(client, client.insert(server, 0), region)).isEqualTo(42);
  }

  @Proves({"AV-166", "AV-220", "AV-158", "AV-186"})
  @Test
  void regionIsForThoseUnderItsKeys(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE, Capability.RMA);
    Tenant server = Tenant.open(environment, hints, 1, 2);
    Tenant client = Tenant.open(environment, hints, 1, 2);
    MemorySegment memory = memory(42);
    Domain domain = server.vector().domain();
    MemoryRegion all =
        environment.keep(
            domain.register(
                memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(server.vector())));
    MemoryRegion first =
        environment.keep(
            domain.register(
                memory,
                RegisterOptions.of(Access.REMOTE_READ)
                    .withAuthKey(server.vector(), server.keys()[0])));
    long underFirst = client.insert(server, 0);
    long underSecond = client.insert(server, 1);
    assertThat(read(client, underFirst, all)).isEqualTo(42);
    assertThat(read(client, underSecond, all)).isEqualTo(42);
    assertThat(read(client, underFirst, first)).isEqualTo(42);
    assertThat(read(client, underSecond, first)).isNull();
  }

  @Proves("AV-158")
  @Test
  void regionHasTheKeysThatWereThereWhenItWasRegistered(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE, Capability.RMA);
    Tenant server = Tenant.open(environment, hints, 1);
    AddressVector vector = server.vector();
    MemorySegment memory = memory(42);
    MemoryRegion before =
        environment.keep(
            vector
                .domain()
                .register(memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(vector)));
    vector.insertAuthKey(key(2));
    MemoryRegion after =
        environment.keep(
            vector
                .domain()
                .register(memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(vector)));
    Peer late = environment.peer(vector); // an endpoint that has the later key
    Tenant client = Tenant.open(environment, hints, 2);
    long underLater = insertUnder(client.vector(), late.name(), client.keys()[0]);
    assertThat(read(client, underLater, after)).isEqualTo(42);
    assertThat(read(client, underLater, before)).isNull();
  }

  @Proves({"AV-166", "AV-220", "AV-157"})
  @Test
  void regionsOfKeyDomainsAreRegisteredWithVectors(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE, Capability.RMA);
    Domain domain = environment.domain(hints);
    AddressVector vector = environment.vector(domain);
    Expect.invalid(() -> domain.register(memory(0), Access.REMOTE_READ));
    Expect.invalid(() ->
        domain.register(memory(0), RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(vector)));
    long key = vector.insertAuthKey(key(1));
    Expect.invalid(() -> registerForPeer(vector, memory(0), key));
    Expect.invalid(() -> registerUnderKey(vector, key + 1));
    Expect.invalid(() -> registerUnderKey(vector, 0));
    MemoryRegion region = environment.keep(registerUnderKey(vector, key));
    Expect.failure(Errno.EBUSY, () -> vector.removeAuthKey(key));
    region.close();
    vector.removeAuthKey(key);
  }

  private static MemoryRegion registerUnderKey(AddressVector vector, long key) {
    return vector
        .domain()
        .register(memory(0), RegisterOptions.of(Access.REMOTE_READ).withAuthKey(vector, key));
  }

  static MemoryRegion registerForPeer(AddressVector vector, MemorySegment memory, long peer) {
    return vector
        .domain()
        .register(memory, RegisterOptions.of(Access.REMOTE_READ).withPeer(vector, peer));
  }
}
