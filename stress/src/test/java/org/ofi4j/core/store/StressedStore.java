// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.ofi4j.AddressFormat;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.run.RangeOutcome;

/**
 * A store and the addresses that tests put into it. One thread writes, any number reads. Addresses
 * are named by small numbers; {@link #NONE} says that there is none and {@link #TORN} that what was
 * read was never written.
 */
class StressedStore {
  static final int NONE = -1;
  static final int TORN = -9;

  private static final int PORT = 5000;
  private static final ValueLayout.OfLong BE_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort BE_SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final AddressCodec OPAQUE = AddressCodec.of(AddressFormat.GNI);

  final EntryStore store;
  private final boolean wide;
  private final AddressKey written = new AddressKey();
  private final MemorySegment buffer = Arena.ofAuto().allocate(PackedIpv6.SIZE, 8);

  StressedStore(DuplicatePolicy duplicates) {
    this(duplicates, false);
  }

  /** With slots that are wide, or are not; then addresses of IPv6 have flow labels and scopes. */
  StressedStore(DuplicatePolicy duplicates, boolean wide) {
    StoreOptions options = new StoreOptions(0, true, duplicates, Integer.MAX_VALUE - 1, 1, wide);
    this.wide = wide;
    store = new EntryStore(options, new ChunkMemory());
  }

  /**
   * Inserts IPv4 addresses from one number up to another, and searches for them: from then on
   * searches know the short way.
   */
  final void fill(int from, int to) {
    for (int i = from; i < to; i++) {
      insert4(i);
      find4(i);
    }
  }

  final int insert4(int address) {
    return store.insert(ipv4(written, address));
  }

  /** Inserts consecutive IPv4 addresses as one range. */
  final void range4(int first, int count) {
    AddressRange range = new AddressRange(false, 0, first, 0, PORT, count, 1);
    store.insertRange(range, new RangeOutcome());
  }

  /** Inserts consecutive IPv4 addresses in one call. */
  final void bulk4(int first, int count) {
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = ipv4(first + i);
    }
    store.insertIpv4(words, count, new int[count]);
  }

  /** Inserts consecutive ports of one IPv4 address in one call. */
  final void ports4(int address, int firstPort, int count) {
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = (long) address << 16 | firstPort + i;
    }
    store.insertIpv4(words, count, new int[count]);
  }

  final int publish4(int reserved, int address) {
    return store.publish(reserved, ipv4(written, address));
  }

  final int insert6(int address) {
    return store.insert(ipv6(written, address));
  }

  final int replace4(int index, int address) {
    return store.replace(index, ipv4(written, address));
  }

  final int replace6(int index, int address) {
    return store.replace(index, ipv6(written, address));
  }

  /** Inserts bytes that are all the same, the more the larger the number. */
  final int insertBytes(int address) {
    return store.insert(bytes(written, address));
  }

  final int find4(int address) {
    return store.find(ipv4(new AddressKey(), address));
  }

  /** Searches for one port of an IPv4 address. */
  final int findPort4(int address, int port) {
    AddressKey key = new AddressKey();
    key.setIpv4((long) address << 16 | port);
    return store.find(key);
  }

  final int find6(int address) {
    return store.find(ipv6(new AddressKey(), address));
  }

  /** Which IPv4 address an index has. */
  final int lookup4(int index) {
    long word = store.ipv4(index);
    return word == -1 ? NONE : (int) (word >>> 16);
  }

  /** Which address an index has, IPv4 or IPv6. */
  final int lookup(int index) {
    AddressKey read = new AddressKey();
    if (!store.load(index, read)) {
      return NONE;
    }
    if (read.kind() == AddressKey.Kind.IPV4) {
      return (int) (read.ipv4() >>> 16);
    }
    int address = (int) read.word(0);
    int more = wide ? 0 : address;
    boolean whole =
        read.kind() == AddressKey.Kind.IPV6
            && read.word(1) == address
            && read.word(2) == ((long) more << 32 | address)
            && read.word(3) == more;
    return whole ? address : TORN;
  }

  /** Which address an index with a wide slot has; for one thread. */
  final int lookupWide(int index) {
    if (store.fastReads().copy(index, buffer) == 0) {
      return lookup(index);
    }
    long address = buffer.get(BE_LONG, 8);
    boolean whole = buffer.get(BE_LONG, 16) == address && buffer.get(BE_SHORT, 2) == address;
    return whole ? (int) address : TORN;
  }

  /** Which bytes an index has. */
  final int lookupBytes(int index) {
    AddressKey read = new AddressKey();
    if (!store.load(index, read)) {
      return NONE;
    }
    byte[] record = new byte[read.recordSize()];
    read.writeRecord(MemorySegment.ofArray(record), 0);
    int length = read.byteCount();
    int address = record[8];
    if (length != address * 20) {
      return TORN;
    }
    MemorySegment content = MemorySegment.ofArray(record).asSlice(8, length);
    for (byte b : content.toArray(ValueLayout.JAVA_BYTE)) {
      if (b != address) {
        return TORN;
      }
    }
    return address;
  }

  private static long ipv4(int address) {
    return (long) address << 16 | PORT;
  }

  private static AddressKey ipv4(AddressKey key, int address) {
    key.setIpv4(ipv4(address));
    return key;
  }

  private AddressKey ipv6(AddressKey key, int address) {
    int more = wide ? 0 : address;
    key.setIpv6(address, address, address, more, more);
    return key;
  }

  private static AddressKey bytes(AddressKey key, int address) {
    byte[] content = new byte[address * 20];
    Arrays.fill(content, (byte) address);
    if (OPAQUE.read(new ProviderAddress(AddressFormat.GNI, content), key) != 0) {
      throw new AssertionError("opaque address refused");
    }
    return key;
  }
}
