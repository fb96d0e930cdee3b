// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.ofi4j.Insertion;

/**
 * What an insertion gave, whatever its form: {@code fi} and {@code st} of the rules. On an
 * asynchronous vector {@code fi} is read anew each time.
 */
public interface Inserted {
  /** What the C call would have returned. */
  int result();

  /** {@code fi}: the handles. */
  long[] fi();

  /** {@code st}: an errno for each address, 0 for those that went in. */
  int[] st();

  /** {@code fi[i]}. */
  default long fi(int i) {
    return fi()[i];
  }

  /** Of an insertion of values. */
  static Inserted of(Insertion insertion) {
    return new Inserted() {
      @Override
      public int result() {
        return insertion.result();
      }

      @Override
      public long[] fi() {
        return insertion.handles();
      }

      @Override
      public int[] st() {
        int[] st = new int[insertion.requested()];
        for (int i = 0; i < st.length; i++) {
          st[i] = insertion.error(i);
        }
        return st;
      }
    };
  }

  /** Of an insertion into arrays. */
  static Inserted of(int result, MemorySegment handles, MemorySegment errors) {
    return new Inserted() {
      @Override
      public int result() {
        return result;
      }

      @Override
      public long[] fi() {
        return handles.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
      }

      @Override
      public int[] st() {
        return errors.toArray(ValueLayout.JAVA_INT_UNALIGNED);
      }
    };
  }

  /** Of insertions one by one. */
  static Inserted of(long[] handles, int[] errors, int result) {
    return new Inserted() {
      @Override
      public int result() {
        return result;
      }

      @Override
      public long[] fi() {
        return handles.clone();
      }

      @Override
      public int[] st() {
        return errors.clone();
      }
    };
  }
}
