// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.ofi4j.Insertion;

/**
 * What an insertion gave, whatever its form: {@code fi} and {@code st} of the rules. On an
 * asynchronous vector {@code fi} is read anew each time.
 */
public final class Inserted {
  private final IntSupplier result;
  private final Supplier<long[]> fi;
  private final Supplier<int[]> st;

  private Inserted(IntSupplier result, Supplier<long[]> fi, Supplier<int[]> st) {
    this.result = result;
    this.fi = fi;
    this.st = st;
  }

  /** Of an insertion of values. */
  public static Inserted of(Insertion insertion) {
    return new Inserted(
        insertion::result,
        insertion::handles,
        () -> IntStream.range(0, insertion.requested()).map(insertion::error).toArray());
  }

  /** Of an insertion into arrays. */
  public static Inserted of(int result, MemorySegment handles, MemorySegment errors) {
    return new Inserted(
        () -> result,
        () -> handles.toArray(ValueLayout.JAVA_LONG_UNALIGNED),
        () -> errors.toArray(ValueLayout.JAVA_INT_UNALIGNED));
  }

  /** Of insertions one by one. */
  public static Inserted of(long[] handles, int[] errors, int result) {
    return new Inserted(() -> result, handles::clone, errors::clone);
  }

  /** What the C call would have returned. */
  public int result() {
    return result.getAsInt();
  }

  /** {@code fi}: the handles. */
  public long[] fi() {
    return fi.get();
  }

  /** {@code st}: an errno for each address, 0 for those that went in. */
  public int[] st() {
    return st.get();
  }

  /** {@code fi[i]}. */
  public long fi(int i) {
    return fi()[i];
  }
}
