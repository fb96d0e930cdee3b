// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.stream.Stream;
import org.ofi4j.internal.Arguments;

/**
 * {@code fi_ep_bind} of a counter to an endpoint.
 *
 * @param counter counts, of the same domain
 * @param flags what it counts, bits of {@link CounterFlag}
 */
public record CounterBinding(Counter counter, long flags) {
  private static final long ALL = Flag.maskOf(CounterFlag.values());

  /** Refuses a counter that counts nothing. */
  public CounterBinding {
    Arguments.required(counter, "counter");
    if ((flags & ~ALL) != 0 || flags == 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "flags 0x%x for binding a counter: give what it counts".formatted(flags));
    }
  }

  /** What is bound already, and one more. */
  static List<CounterBinding> more(
      List<CounterBinding> bound, Counter counter, CounterFlag... what) {
    return Stream.concat(bound.stream(), Stream.of(new CounterBinding(counter, Flag.maskOf(what))))
        .toList();
  }
}
