// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;

/**
 * Addresses on their way from an {@link AddressSource} to the store and, as handles and errors, to
 * the caller: many at once, each step a loop of its own. Used again and again by whoever holds the
 * vector's lock.
 */
final class InsertionBatch {
  /** Few enough to stay in the nearest cache with what they lead to. */
  private static final int MOST = 256;

  private static final int NO_MEMORY = Errno.ENOMEM.number();

  private final EntryStore store;
  private final HandleLayout layout;
  private long[] words = {};
  private AddressKey[] keys = {};
  private int[] numbers = {};

  /** Whether the addresses that were read last are of IPv4, and so lie in the words. */
  private boolean ipv4;

  private int tried;
  private int inserted;

  InsertionBatch(EntryStore store, HandleLayout layout) {
    this.store = store;
    this.layout = layout;
  }

  /** How many addresses of the last ones have an index. */
  int inserted() {
    return inserted;
  }

  /** Whether the last address tried found no memory. */
  boolean isExhausted() {
    return numbers[tried - 1] == NO_MEMORY;
  }

  /**
   * Inserts what can be inserted at once.
   *
   * @param from the first one
   * @return how many were tried; none if something is wrong with the first one
   */
  int insert(AddressSource source, int from) {
    if (words.length == 0) {
      long[] forWords = new long[MOST];
      numbers = new int[MOST];
      keys = new AddressKey[MOST];
      words = forWords;
    }
    int read = source.readIpv4(from, words);
    ipv4 = read > 0;
    read = ipv4 ? read : read(source, from);
    if (read == 0) {
      return 0;
    }
    tried = ipv4 ? store.insertIpv4(words, read, numbers) : store.insert(keys, read, numbers);
    int indices = 0;
    // Both arrays have served their purpose, and become what the caller sees.
    for (int i = 0; i < tried; i++) {
      int outcome = numbers[i];
      boolean there = outcome >= 0;
      words[i] = there ? layout.handle(outcome) : Handles.NOT_AVAILABLE;
      numbers[i] = there ? 0 : -outcome;
      indices += there ? 1 : 0;
    }
    inserted = indices;
    return tried;
  }

  /**
   * Reports on those that were tried last.
   *
   * @param from the first one
   * @param handles takes a handle for each
   * @param errors takes an errno for each
   */
  void report(int from, @Nullable MemorySegment handles, @Nullable MemorySegment errors) {
    if (handles != null) {
      long offset = (long) from * Long.BYTES;
      MemorySegment.copy(words, 0, handles, JAVA_LONG_UNALIGNED, offset, tried);
    }
    if (errors != null) {
      long offset = (long) from * Integer.BYTES;
      MemorySegment.copy(numbers, 0, errors, JAVA_INT_UNALIGNED, offset, tried);
    }
  }

  /**
   * Reads addresses, those of IPv4 as words and others as keys, until there is one of the other
   * kind, one that something is wrong with, or no memory for a key.
   */
  private int read(AddressSource source, int from) {
    int most = Math.min(MOST, source.count() - from);
    for (int read = 0; read < most; read++) {
      AddressKey key = key(ipv4 ? 0 : read);
      if (key == null || source.read(from + read, key) != 0) {
        return read;
      }
      boolean isIpv4 = key.kind() == AddressKey.Kind.IPV4;
      if (read > 0 && isIpv4 != ipv4) {
        return read;
      }
      ipv4 = isIpv4;
      words[read] = key.ipv4();
    }
    return most;
  }

  private @Nullable AddressKey key(int at) {
    try {
      if (keys[at] == null) {
        keys[at] = new AddressKey();
      }
      return keys[at];
    } catch (OutOfMemoryError e) {
      return null;
    }
  }
}
