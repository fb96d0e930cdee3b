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
    int read = readIpv4(source, from);
    if (read > 0) {
      tried = store.insertIpv4(words, read, numbers);
    } else {
      read = readKeys(source, from);
      if (read == 0) {
        return 0;
      }
      tried = store.insert(keys, read, numbers);
    }
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

  /** Reads addresses of IPv4 until there is another one, or one that something is wrong with. */
  private int readIpv4(AddressSource source, int from) {
    int read = source.readIpv4(from, words);
    if (read > 0 || !makeKey(0)) {
      return read;
    }
    AddressKey key = keys[0];
    int most = Math.min(MOST, source.count() - from);
    while (read < most
        && source.read(from + read, key) == 0
        && key.kind() == AddressKey.Kind.IPV4) {
      words[read++] = key.ipv4();
    }
    return read;
  }

  /** Reads addresses until there is one of IPv4, or one that something is wrong with. */
  private int readKeys(AddressSource source, int from) {
    int most = Math.min(MOST, source.count() - from);
    int read = 0;
    while (read < most
        && makeKey(read)
        && source.read(from + read, keys[read]) == 0
        && keys[read].kind() != AddressKey.Kind.IPV4) {
      read++;
    }
    return read;
  }

  /** Makes a key if it is not there; false if there is no memory for that. */
  private boolean makeKey(int at) {
    try {
      if (keys[at] == null) {
        keys[at] = new AddressKey();
      }
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }
}
