// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.FabricPeers;

/** What tests of the vector say often. */
public final class VectorFixture {
  static final long NA = Handles.NOT_AVAILABLE;

  /** The notation of the requirements: 0.0.0.0:0. */
  static final FabricAddress BAD = new SocketAddress4(0, 0);

  private VectorFixture() {}

  static CoreAddressVector open(TestInfo info, VectorOptions options) {
    return TestDomain.of(info).openAddressVector(options);
  }

  /** A vector of type TABLE, for entries in a store. */
  static CoreAddressVector openOn(TestInfo info, EntryStore store) {
    return openOn(TestDomain.of(info), store);
  }

  static CoreAddressVector openOn(TestDomain domain, EntryStore store) {
    return CoreAddressVector.open(
        domain,
        domain.lifetime(),
        VectorOptions.table(),
        FabricPeers.ANY,
        MemorySource::system,
        (_, _) -> store);
  }

  public static CoreAddressVector table() {
    return open(TestInfo.defaults(), VectorOptions.table());
  }

  /** The notation of the requirements: 10.1.1.i:5000, continued through the lower octets. */
  public static FabricAddress a(int i) {
    return new SocketAddress4(0x0A01_0100 + i, 5000);
  }

  static FabricAddress v6(int i) {
    return new SocketAddress6(0x2001_0db8L << 32, i, 5000, 0, 0);
  }

  static FabricAddress uri(String text) {
    return FabricAddress.parse(text);
  }

  static MemorySegment packed(FabricAddress... addresses) {
    ByteBuffer all =
        ByteBuffer.allocate(Arrays.stream(addresses).mapToInt(x -> x.toBytes().length).sum());
    for (FabricAddress address : addresses) {
      all.put(address.toBytes());
    }
    return MemorySegment.ofArray(all.array());
  }

  /** Inserts an address under a key; its handle. */
  static long under(CoreAddressVector vector, FabricAddress address, long key) {
    return vector
        .insert(List.of(address), InsertOptions.none().withAuthKeys(key))
        .orThrow()
        .handle(0);
  }

  /** What a completion reports for a message from a packed socket address. */
  static long source(CoreAddressVector vector, MemorySegment sender) {
    MessageSource source = new MessageSource();
    assertThat(vector.peers().findSource(sender, source)).isEqualTo(source.isKnown());
    return source.reported();
  }

  /** What a completion reports for a message from the peer that a handle stands for, if any. */
  static long reported(CoreAddressVector vector, long handle) {
    MemorySegment sender = MemorySegment.ofArray(new byte[PackedIpv6.SIZE]);
    int length = vector.peers().socketAddress(handle, sender);
    return length <= 0 ? NA : source(vector, sender.asSlice(0, length));
  }

  static MemorySegment longs(long... values) {
    return MemorySegment.ofArray(values);
  }

  static long[] longs(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
  }

  static int[] ints(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }

  public static void fails(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
  }

  public static void fails(Errno errno, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  /** All entries in index order; a hole is null. */
  static List<FabricAddress> contents(CoreAddressVector vector, int indices) {
    List<FabricAddress> all = new ArrayList<>();
    for (int i = 0; i < indices; i++) {
      try {
        all.add(vector.lookup(vector.handleAt(i)));
      } catch (FabricException hole) {
        all.add(null);
      }
    }
    return all;
  }
}
