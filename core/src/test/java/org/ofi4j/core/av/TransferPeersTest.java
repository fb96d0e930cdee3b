// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.under;
import static org.ofi4j.core.av.VectorFixture.uri;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.Allocation;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.FabricPeers;

/** Peers whose addresses are packed in the format of the vector, whichever it is. */
class TransferPeersTest {
  private static final VectorOptions TABLE = VectorOptions.table();

  private final MessageSource source = new MessageSource();

  /** Two peers of a format, and one that is in no vector. */
  record Peers(AddressFormat format, FabricAddress one, FabricAddress other, FabricAddress none) {}

  static Stream<Peers> peers() {
    return Stream.of(
        new Peers(AddressFormat.SOCKADDR_IN, a(1), a(2), a(3)),
        new Peers(AddressFormat.SOCKADDR_IN6, v6(1), v6(2), v6(3)),
        new Peers(AddressFormat.SOCKADDR, a(1), v6(2), v6(3)),
        new Peers(
            AddressFormat.SOCKADDR_IB,
            uri("fi_sockaddr_ib://[fe80::1]:0xffff:0x13f:0:5000"),
            uri("fi_sockaddr_ib://[fe80::1]:0xffff:0x13f:0:5001"),
            uri("fi_sockaddr_ib://[fe80::1]:0xffff:0x13f:0:5002")),
        new Peers(AddressFormat.EFA, efa(1), efa(2), efa(3)),
        new Peers(
            AddressFormat.CXI,
            new ProviderAddress(AddressFormat.CXI, new byte[] {1, 0, 0, 0, 5, 0, 0, 0}),
            new ProviderAddress(AddressFormat.CXI, new byte[] {2, 0, 0, 0, 5, 0, 0, 0}),
            new ProviderAddress(AddressFormat.CXI, new byte[] {3, 0, 0, 0, 5, 0, 0, 0})),
        new Peers(AddressFormat.GNI, gni(1), gni(2), gni(3)),
        new Peers(AddressFormat.STR, text(1), text(2), text(3)),
        new Peers(
            AddressFormat.STR,
            new TextAddress("FI_sockaddr_in://10.1.1.1:5000"),
            text(2),
            new TextAddress("fi_sockaddr_in://10.1.1.3:5000")));
  }

  private static FabricAddress efa(int i) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) 0xfe;
    bytes[15] = (byte) i;
    bytes[20] = 7;
    return new ProviderAddress(AddressFormat.EFA, bytes);
  }

  private static FabricAddress gni(int i) {
    byte[] bytes = new byte[27];
    bytes[26] = 1;
    bytes[3] = (byte) i;
    return new ProviderAddress(AddressFormat.GNI, bytes);
  }

  static TextAddress text(int i) {
    return new TextAddress("fi_shm://1234:" + i + ":0");
  }

  /** A fabric that has texts of its own, and takes all addresses. */
  static final FabricPeers TEXTS =
      new FabricPeers() {
        @Override
        public boolean hasTexts() {
          return true;
        }
      };

  static CoreAddressVector open(TestInfo info, VectorOptions options) {
    TestDomain domain = TestDomain.of(info);
    return CoreAddressVector.open(domain, domain.lifetime(), options, TEXTS);
  }

  private static CoreAddressVector open(AddressFormat format) {
    return open(TestInfo.defaults().format(format), TABLE);
  }

  @ParameterizedTest
  @MethodSource("peers")
  void addressesComeOutAsTheyWentIn(Peers peers) {
    try (CoreAddressVector vector = open(peers.format);
        Arena arena = Arena.ofConfined()) {
      assertThat(vector.insert(packed(peers.one), 1, null, null, 0, null)).isOne();
      assertThat(vector.insert(peers.other)).isOne();
      TransferPeers transfers = vector.peers();
      for (int handle = 0; handle < 2; handle++) {
        byte[] expected = (handle == 0 ? peers.one : peers.other).toBytes();
        MemorySegment heap = MemorySegment.ofArray(new byte[64]);
        MemorySegment outside = arena.allocate(expected.length);
        assertThat(transfers.packedAddress(handle, heap)).isEqualTo(expected.length);
        assertThat(heap.asSlice(0, expected.length).toArray(ValueLayout.JAVA_BYTE))
            .isEqualTo(expected);
        assertThat(transfers.packedAddress(handle, outside)).isEqualTo(expected.length);
        assertThat(outside.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
        for (int length = 0; length < expected.length; length++) {
          assertThat(transfers.packedAddress(handle, heap.asSlice(1, length)))
              .isEqualTo(expected.length);
        }
      }
      vector.remove(0);
      assertThat(transfers.packedAddress(0, MemorySegment.ofArray(new byte[64]))).isZero();
      assertThat(transfers.packedAddress(2, MemorySegment.NULL)).isZero();
      assertThat(transfers.packedAddress(NA, MemorySegment.NULL)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  void sourcesAreFound(Peers peers) {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().format(peers.format).capabilities(Capability.AV_USER_ID), TABLE)) {
      vector.insert(peers.one);
      vector.insert(List.of(peers.other), InsertOptions.none().withUserIds(0xABCD));
      TransferPeers transfers = vector.peers();
      assertThat(transfers.findPackedSource(packed(peers.one), source)).isTrue();
      assertThat(source.reported()).isZero();
      assertThat(transfers.findPackedSource(packed(peers.other), source)).isTrue();
      assertThat(source.reported()).isEqualTo(0xABCD);
      assertThat(transfers.findPackedSource(packed(peers.none), source)).isFalse();
      assertThat(source.isKnown()).isFalse();
      assertThat(source.reported()).isEqualTo(NA);
      vector.remove(1);
      assertThat(transfers.findPackedSource(packed(peers.other), source)).isFalse();
      MemorySegment whole = packed(peers.one);
      for (long length = 0; length < whole.byteSize(); length++) {
        assertThat(transfers.findPackedSource(whole.asSlice(0, length), source)).isFalse();
      }
    }
  }

  @Test
  @DisplayName("D-25: a sender is found by another spelling of its address")
  void otherSpelling() {
    try (CoreAddressVector vector = open(AddressFormat.STR)) {
      vector.insert(new TextAddress("fi_sockaddr_in://10.1.1.1:5000"));
      TransferPeers transfers = vector.peers();
      assertThat(
              transfers.findPackedSource(
                  packed(new TextAddress("FI_SOCKADDR://10.1.1.1:5000")), source))
          .isTrue();
      assertThat(transfers.findSource(packed(a(1)), source)).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  @DisplayName("D-40: a generation is that of one entry with one address")
  void generations(Peers peers) {
    try (CoreAddressVector vector = open(peers.format)) {
      long handle = vector.insert(peers.one);
      TransferPeers transfers = vector.peers();
      long first = transfers.generation(handle);
      assertThat(first).isNotNegative();
      assertThat(transfers.generation(handle)).isEqualTo(first);
      vector.insert(peers.other);
      assertThat(transfers.generation(1)).isNotNegative().isNotEqualTo(first);
      vector.replace(handle, peers.none);
      assertThat(transfers.generation(handle)).isNotNegative().isNotEqualTo(first);
      vector.replace(handle, peers.one);
      assertThat(transfers.generation(handle)).isEqualTo(first);
      vector.remove(handle);
      assertThat(transfers.generation(handle)).isNegative();
      assertThat(vector.insert(peers.one)).isEqualTo(handle);
      assertThat(transfers.generation(handle)).isNotNegative().isNotEqualTo(first);
    }
  }

  @Test
  @DisplayName("Who remembers an address hears that some handle has lost its own, and only that")
  void addressChanges() {
    try (CoreAddressVector vector = open(AddressFormat.SOCKADDR_IN)) {
      TransferPeers transfers = vector.peers();
      long handle = vector.insert(a(1));
      vector.insert(List.of(a(2), a(3), a(4)));
      assertThat(transfers.addressChanges()).isZero();
      vector.replace(handle, a(5));
      assertThat(transfers.addressChanges()).isOne();
      vector.remove(handle);
      assertThat(transfers.addressChanges()).isEqualTo(2);
      vector.insert(List.of(a(6)), InsertOptions.of(InsertFlag.FIREWALL_ADDRESS));
      assertThat(transfers.addressChanges()).isEqualTo(3);
      vector.remove(new long[] {1, 2, 3});
      assertThat(transfers.addressChanges()).isGreaterThan(3);
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  @DisplayName("The address of an entry under a key is that of the entry alone")
  void underAKey(Peers peers) {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().format(peers.format).keysInVector(3), TABLE)) {
      vector.insertAuthKey(new byte[AddressVector.AUTH_KEY_SIZE]);
      byte[] other = new byte[AddressVector.AUTH_KEY_SIZE];
      other[0] = 1;
      long handle = under(vector, peers.one, vector.insertAuthKey(other));
      byte[] expected = peers.one.toBytes();
      MemorySegment target = MemorySegment.ofArray(new byte[expected.length]);
      assertThat(vector.peers().packedAddress(handle, target)).isEqualTo(expected.length);
      assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
      assertThat(vector.peers().generation(handle)).isNotNegative();
    }
  }

  @Test
  @DisplayName("A receive context or group that transfers cannot name leads nowhere")
  void handlesThatTransfersCannotName() {
    MemorySegment target = MemorySegment.ofArray(new byte[64]);
    VectorOptions contexts = TABLE.withReceiveContextBits(8);
    TestInfo text = TestInfo.defaults().format(AddressFormat.STR);
    try (CoreAddressVector unnamed = open(text, contexts)) {
      unnamed.insert(text(1));
      TransferPeers transfers = unnamed.peers();
      assertThat(transfers.packedAddress(Handles.atReceiveContext(0, 2, 8), target)).isZero();
      assertThat(transfers.packedAddress(Handles.inGroup(0, 3), target)).isZero();
    }
    TestInfo named = text.capabilities(Capability.NAMED_RECEIVE_CONTEXT).maxGroup(4);
    try (CoreAddressVector vector = open(named, contexts)) {
      vector.insert(text(1));
      int length = text(1).toBytes().length;
      TransferPeers transfers = vector.peers();
      assertThat(transfers.packedAddress(Handles.atReceiveContext(0, 2, 8), target))
          .isEqualTo(length);
      assertThat(transfers.packedAddress(Handles.inGroup(0, 3), target)).isEqualTo(length);
    }
  }

  @Test
  void aClosedVectorHasNoPeers() {
    CoreAddressVector vector = open(AddressFormat.STR);
    vector.insert(text(1));
    TransferPeers transfers = vector.peers();
    vector.close();
    MemorySegment target = MemorySegment.ofArray(new byte[64]);
    fails(Errno.EINVAL, "closed", () -> transfers.packedAddress(0, target));
    fails(Errno.EINVAL, "closed", () -> transfers.findPackedSource(packed(text(1)), source));
    fails(Errno.EINVAL, "closed", () -> transfers.generation(0));
  }

  @ParameterizedTest
  @MethodSource("peers")
  void transfersAllocateNothing(Peers peers) {
    try (CoreAddressVector vector = open(peers.format)) {
      vector.insert(peers.one);
      vector.insert(peers.other);
      TransferPeers transfers = vector.peers();
      MemorySegment target = MemorySegment.ofArray(new byte[64]);
      // Text that spells an address is parsed, the other form of it is not.
      boolean spelled = peers.one.toText().startsWith("FI_");
      MemorySegment sender = packed(spelled ? peers.other : peers.one);
      int calls = 20_000;
      long sum = 0;
      long before = 0;
      for (int warm = 0; warm < 2; warm++) {
        before = Allocation.bytes();
        for (int i = 0; i < calls; i++) {
          sum += transfers.packedAddress(i & 1, target);
          sum += transfers.generation(i & 1) & 1;
          sum += transfers.findPackedSource(sender, source) ? source.reported() : NA;
        }
      }
      long allocated = Allocation.bytes() - before;
      assertThat(sum).isPositive();
      assertThat(allocated).as("bytes for %d rounds", calls).isLessThan(calls);
    }
  }
}
