// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InsertFlag;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/** Which source a completion reports. */
class SourcesTest {
  /** Every address format over every family that this host has. */
  static List<Hints> formats() {
    List<Hints> all = new ArrayList<>();
    for (String node : Rig.nodes()) {
      for (AddressFormat format :
          List.of(
              AddressFormat.UNSPECIFIED,
              AddressFormat.SOCKADDR,
              AddressFormat.SOCKADDR_IP,
              AddressFormat.STR)) {
        all.add(Rig.withSource(Rig.udp(node).withAddressFormat(format)));
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("formats")
  @Tag("AV-215")
  @DisplayName("A sender in the vector is reported by handle, another one not at all")
  void source(Hints hints) throws Exception {
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint two = rig.datagrams();
      long toOne = rig.insert(one);
      one.receive(Rig.buffer(8), "receive");
      two.inject(Rig.message("x"), toOne);
      Completion.Success unknown = Rig.success(rig.next());
      assertThat(unknown.source()).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(rig.vector.size()).isEqualTo(1);

      long toTwo = rig.insert(two);
      one.receive(Rig.buffer(8), "receive");
      two.inject(Rig.message("x"), toOne);
      assertThat(Rig.success(rig.next()).source()).isEqualTo(toTwo);
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  @Tag("AV-216")
  @DisplayName("An unknown sender's address can be inserted as it comes; then it has a handle")
  void promotion(Hints hints) throws Exception {
    try (Rig rig = new Rig(hints.withMoreCapabilities(Capability.SOURCE_ERR))) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint two = rig.datagrams();
      long toOne = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      two.inject(Rig.message("who?"), toOne);

      Completion.Failure unknown = (Completion.Failure) rig.queue.read(Rig.PATIENCE);
      assertThat(unknown).isNotNull();
      assertThat(unknown.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
      assertThat(unknown.context()).isEqualTo("receive");
      assertThat(unknown.source()).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(unknown.length()).isEqualTo(4);
      assertThat(unknown.reason()).contains("the sender " + two.address().toText() + " is not");
      assertThat(Rig.text(buffer, 4)).isEqualTo("who?");
      assertThat(rig.vector.size()).isEqualTo(1);
      assertThat(unknown.errorData().length)
          .isLessThanOrEqualTo(rig.domain.info().domain().maxErrorData());

      MemorySegment handles = MemorySegment.ofArray(new long[1]);
      int inserted =
          rig.vector.insert(MemorySegment.ofArray(unknown.errorData()), 1, handles, null, 0, null);
      assertThat(inserted).isEqualTo(1);
      long toTwo = handles.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
      one.receive(buffer, "receive");
      two.inject(Rig.message("me"), toOne);
      Completion.Success known = Rig.success(rig.next());
      assertThat(known.source()).isEqualTo(toTwo);
      assertThat(unknown.senderAddress(rig.vector.format()).toString())
          .isEqualTo(two.address().toString());
      two.receive(buffer, "back");
      one.inject(Rig.message("back"), toTwo);
      assertThat(rig.next().context()).isEqualTo("back");
    }
  }

  @Test
  @Tag("AV-132")
  @DisplayName("A removed peer still reaches us and is unknown then")
  void removed() throws Exception {
    try (Rig rig = new Rig(Rig.withSource(Rig.udp(), Capability.SOURCE_ERR))) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint two = rig.datagrams();
      long toOne = rig.insert(one);
      long toTwo = rig.insert(two);
      for (int i = 0; i < 2; i++) {
        one.receive(Rig.buffer(8), "receive");
      }
      two.inject(Rig.message("x"), toOne);
      assertThat(Rig.success(rig.next()).source()).isEqualTo(toTwo);
      rig.vector.remove(toTwo);
      two.inject(Rig.message("x"), toOne);
      assertThat(rig.next())
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
    }
  }

  @Test
  @DisplayName("Without FI_SOURCE no source is reported")
  void notAsked() throws Exception {
    try (Rig rig = new Rig(Rig.udp().withCapabilities(Capability.MSG))) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      one.receive(Rig.buffer(8), "receive");
      one.inject(Rig.message("x"), self);
      assertThat(Rig.success(rig.next()).source()).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  @Test
  @Tag("AV-103")
  @Tag("AV-187")
  @Tag("AV-189")
  @Tag("AV-191")
  @Tag("AV-192")
  @DisplayName("An id given at insertion is reported instead of the handle, in failures too")
  void insertedIds() throws Exception {
    Hints hints = Rig.withSource(Rig.udp(), Capability.AV_USER_ID);
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint one = rig.datagrams();
      byte[] address = one.address().toBytes();
      MemorySegment ids = MemorySegment.ofArray(new long[] {0xABC});
      int inserted =
          rig.vector.insert(
              MemorySegment.ofArray(address), 1, ids, null, InsertFlag.USER_ID.mask(), null);
      assertThat(inserted).isEqualTo(1);
      long handle = ids.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
      assertThat(handle).isZero();
      one.receive(Rig.buffer(8), "receive");
      one.inject(Rig.message("long"), handle);
      assertThat(Rig.success(rig.next()).source()).isEqualTo(0xABC);
      one.receive(Rig.buffer(1), "too short");
      one.inject(Rig.message("long"), handle);
      Completion.Failure failure = (Completion.Failure) rig.next();
      assertThat(failure.source()).isEqualTo(0xABC);
      assertThatThrownBy(() -> one.inject(Rig.message("x"), 0xABC))
          .isInstanceOf(FabricException.class);
    }
  }

  @Test
  @Tag("AV-096")
  @Tag("AV-175")
  @Tag("AV-176")
  @DisplayName("On a vector opened for ids a known sender without one is no failure")
  void ids() throws Exception {
    Hints hints = Rig.withSource(Rig.udp(), Capability.SOURCE_ERR, Capability.AV_USER_ID);
    VectorOptions options = VectorOptions.table().withFlags(VectorFlag.USER_ID);
    try (Rig rig = new Rig(hints, options, CompletionQueueOptions.defaults())) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      assertThat(sourceOfMessage(rig, one, self)).isEqualTo(Handles.NOT_AVAILABLE);
      rig.vector.setUserId(self, new UserId(0xDEAD));
      assertThat(sourceOfMessage(rig, one, self)).isEqualTo(0xDEAD);
      rig.vector.setUserId(self, new UserId(0xBEEF));
      assertThat(sourceOfMessage(rig, one, self)).isEqualTo(0xBEEF);
      rig.vector.remove(self);
      long again = rig.insert(one);
      assertThat(again).isEqualTo(self);
      assertThat(sourceOfMessage(rig, one, again)).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  private static long sourceOfMessage(Rig rig, DatagramEndpoint endpoint, long self)
      throws Exception {
    endpoint.receive(Rig.buffer(8), "receive");
    endpoint.inject(Rig.message("x"), self);
    Completion.Success next = Rig.success(rig.next());
    return next.source();
  }

  @Test
  @Tag("AV-215")
  @DisplayName("MAP handles of old versions are reported as they were given out")
  void mapHandles() throws Exception {
    Hints hints =
        Hints.of(ApiVersion.V1_5)
            .withSource("127.0.0.1:0")
            .withCapabilities(Capability.MSG, Capability.SOURCE);
    try (Rig rig = new Rig(hints, VectorOptions.map(), CompletionQueueOptions.defaults())) {
      DatagramEndpoint one = rig.datagrams();
      rig.vector.insert(FabricAddress.parse("fi_sockaddr_in://10.1.1.1:5000"));
      long self = rig.insert(one);
      assertThat(sourceOfMessage(rig, one, self)).isEqualTo(self);
    }
  }

  @Test
  @DisplayName("A link-local peer is known by its scope, and by text that has none")
  void linkLocal() throws Exception {
    Optional<FabricInfo> local =
        Fabrics.info(
                Rig.withSource(Hints.latest().withAddressFormat(AddressFormat.SOCKADDR_IN6))
                    .withProvider("udp"))
            .offers()
            .stream()
            .filter(offer ->
                offer.source() != null
                    && SocketAddresses.of(offer.source()).getAddress()
                        instanceof Inet6Address address
                    && address.isLinkLocalAddress())
            .findFirst();
    Assumptions.assumeTrue(local.isPresent(), "no interface has a link-local IPv6 address");
    FabricInfo offer = local.orElseThrow();
    Hints hints =
        Rig.withSource(Hints.latest().withAddressFormat(AddressFormat.SOCKADDR_IN6))
            .withSource(offer.source());
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint one = rig.datagrams();
      SocketAddress6 name = (SocketAddress6) one.address();
      assertThat(name.scopeId()).isPositive();
      long self = rig.insert(one);
      assertThat(sourceOfMessage(rig, one, self)).isEqualTo(self);

      rig.vector.remove(self);
      long scopeless = rig.vector.insert(FabricAddress.parse(one.address().toText()));
      assertThat(((SocketAddress6) rig.vector.lookup(scopeless)).scopeId()).isZero();
      assertThat(sourceOfMessage(rig, one, scopeless)).isEqualTo(scopeless);
    }
  }

  @Test
  @DisplayName("A handle removed and reused while messages arrive is reported right or not at all")
  void changesWhileReceiving() throws Exception {
    try (Rig rig = new Rig(Rig.withSource(Rig.udp()))) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      AddressVector vector = rig.vector;
      FabricAddress other = FabricAddress.parse("fi_sockaddr_in://10.1.1.1:5000");
      long place = vector.insert(other);
      Thread churn =
          Thread.ofPlatform()
              .start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                  vector.remove(place);
                  vector.insert(other);
                }
              });
      try {
        for (int i = 0; i < 5_000; i++) {
          assertThat(sourceOfMessage(rig, one, self)).isEqualTo(self);
        }
      } finally {
        churn.interrupt();
        churn.join();
      }
    }
  }
}
