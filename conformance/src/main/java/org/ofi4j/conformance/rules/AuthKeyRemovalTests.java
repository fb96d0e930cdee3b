// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.rules.AuthKeyTests.key;
import static org.ofi4j.conformance.rules.AuthKeyTrafficTests.insertUnder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.RegisterOptions;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;

/** Removal of authorization keys: what keeps a key, and what a removed key leaves behind. */
@ConformanceTest
class AuthKeyRemovalTests {
  private static Hints hints(ApiVersion version, Capability... more) {
    return Hints.of(version)
        .withEndpointType(EndpointType.RDM)
        .withCapabilities(Capability.MSG, Capability.SOURCE)
        .withMoreCapabilities(more)
        .withAuthKeys(AuthKeyHints.inVector(4));
  }

  static Stream<Hints> setups() {
    return Stream.of(hints(ApiVersion.V1_20), hints(ApiVersion.V2_1));
  }

  private static void expectBusy(AddressVector vector, long... keys) {
    for (long key : keys) {
      Expect.failure(Errno.EBUSY, () -> vector.removeAuthKey(key));
    }
  }

  @Proves("AV-133")
  @EachSetup
  void keyOfAnEndpointIsBusy(Hints hints, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(environment.domain(hints));
    long key = vector.insertAuthKey(key(1));
    Peer peer = environment.peer(vector);
    expectBusy(vector, key);
    // Inserting it once more does not make it removable.
    assertThat(vector.insertAuthKey(key(1))).isEqualTo(key);
    expectBusy(vector, key);
    peer.endpoint().close();
    vector.removeAuthKey(key);
    assertThat(vector.lookupAuthKey(key)).isEqualTo(key(1));
    vector.removeAuthKey(key);
    Expect.invalid(() -> vector.lookupAuthKey(key));
  }

  @Proves("AV-133")
  @EachSetup
  void keyIsBusyUntilLastOfItsEndpointsCloses(Hints hints, ConformanceEnvironment environment) {
    for (boolean newestFirst : new boolean[] {false, true}) {
      AddressVector vector = environment.vector(environment.domain(hints));
      long one = vector.insertAuthKey(key(1));
      long two = vector.insertAuthKey(key(2));
      List<Peer> peers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        peers.add(environment.peer(vector));
      }
      if (newestFirst) {
        Collections.reverse(peers);
      }
      for (Peer peer : peers) {
        expectBusy(vector, one, two);
        peer.endpoint().close();
      }
      vector.removeAuthKey(one);
      vector.removeAuthKey(two);
      Expect.invalid(() -> vector.lookupAuthKey(one));
      Expect.invalid(() -> vector.lookupAuthKey(two));
    }
  }

  @Proves("AV-133")
  @EachSetup
  void endpointKeepsOnlyKeysThatItTook(Hints hints, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(environment.domain(hints));
    long one = vector.insertAuthKey(key(1));
    Peer first = environment.peer(vector);
    long two = vector.insertAuthKey(key(2));
    Peer both = environment.peer(vector);
    long three = vector.insertAuthKey(key(3));

    vector.removeAuthKey(three); // no endpoint was opened with it
    first.endpoint().close();
    expectBusy(vector, one, two);
    both.endpoint().close();
    vector.removeAuthKey(two);
    vector.removeAuthKey(one);
  }

  /** Addresses do not keep their key; what is left under it is told from what another key has. */
  @Proves("AV-133")
  @EachSetup
  void keyUnderAddressesIsRemoved(Hints hints, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(environment.domain(hints));
    FabricAddress address = Addresses.a(vector.format(), 1);
    long key = vector.insertAuthKey(key(1));
    long entry = insertUnder(vector, address, key);

    vector.removeAuthKey(key);

    Expect.invalid(() -> vector.lookupAuthKey(key));
    Expect.invalid(() -> vector.removeAuthKey(key));
    Expect.invalid(() -> vector.find(address, key));
    Expect.address(vector, entry, address);
    Expect.failure(Errno.ENOKEY, () -> vector.lookupAuthKey(entry));
    long other = vector.insertAuthKey(key(2));
    assertThat(other).as("the number of another key").isNotEqualTo(key);
    assertThat(vector.find(address, other)).isEqualTo(Handles.NOT_AVAILABLE);
    Peer peer = environment.peer(vector);
    Expect.failure(Errno.ENOKEY, () -> peer.endpoint().send(Peer.message("x"), entry, null));

    assertThat(vector.insertAuthKey(key(1))).as("the same key").isEqualTo(key);
    assertThat(vector.lookupAuthKey(entry)).isEqualTo(key(1));
    assertThat(vector.find(address, key)).isEqualTo(entry);
    vector.removeAuthKey(key);
    vector.remove(entry);
    Expect.invalid(() -> vector.lookup(entry));
    assertThat(vector.lookupAuthKey(vector.insertAuthKey(key(3)))).isEqualTo(key(3));
    assertThat(vector.lookupAuthKey(other)).isEqualTo(key(2));
  }

  /** The man page speaks of endpoints; that regions keep their keys too is a decision (D-49). */
  @Proves(partly = "AV-157")
  @Test
  void keyIsBusyUntilLastOfItsRegionsCloses(ConformanceEnvironment environment) {
    Domain domain = environment.domain(hints(ApiVersion.V2_1, Capability.RMA));
    AddressVector vector = environment.vector(domain);
    long key = vector.insertAuthKey(key(1));
    RegisterOptions options = RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(vector);
    MemoryRegion first = environment.keep(domain.register(Peer.message("first"), options));
    MemoryRegion second = environment.keep(domain.register(Peer.message("second"), options));
    Peer peer = environment.peer(vector);

    first.close();
    expectBusy(vector, key);
    peer.endpoint().close();
    expectBusy(vector, key);
    second.close();
    vector.removeAuthKey(key);
  }

  /** Reports what a message from an unknown sender under a key comes from. */
  private static long sourceOfStranger(
      ConformanceEnvironment environment, AddressVector vector, int key) {
    Peer server = environment.peer(vector);
    Domain domain =
        environment.domain(hints(ApiVersion.V2_1, Capability.SOURCE_ERR, Capability.AV_USER_ID));
    AddressVector ofClient = environment.vector(domain);
    long itsKey = ofClient.insertAuthKey(key(key));
    Peer client = environment.peer(ofClient);
    server.receive("stranger");
    client.send("hello", insertUnder(ofClient, server.name(), itsKey));
    Completion.Failure failure = server.nextFailure();
    assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    server.endpoint().close();
    return failure.source();
  }

  /** The number of a removed key may be used again, by the same key or by another one. */
  @Proves({"AV-168", "AV-176", "AV-177"})
  @Test
  void userIdEndsWithItsKey(ConformanceEnvironment environment) {
    Hints hints = hints(ApiVersion.V2_1, Capability.SOURCE_ERR, Capability.AV_USER_ID);
    AddressVector vector =
        environment.vector(
            environment.domain(hints), VectorOptions.table().withFlags(VectorFlag.USER_ID));
    long last = Handles.NOT_AVAILABLE;
    for (int key : new int[] {1, 1, 2}) {
      long handle = vector.insertAuthKey(key(key));
      assertThat(sourceOfStranger(environment, vector, key))
          .as("key %d before it has an id", key)
          .isEqualTo(Handles.NOT_AVAILABLE);
      vector.setAuthKeyUserId(handle, new UserId(0x100 + key));
      assertThat(vector.insertAuthKey(key(key))).as("a second insertion").isEqualTo(handle);
      vector.removeAuthKey(handle);
      assertThat(sourceOfStranger(environment, vector, key))
          .as("key %d with an id, after one of two removals", key)
          .isEqualTo(0x100 + key);
      vector.removeAuthKey(handle);
      last = handle;
    }
    long gone = last;
    Expect.invalid(() -> vector.setAuthKeyUserId(gone, new UserId(1)));
  }
}
