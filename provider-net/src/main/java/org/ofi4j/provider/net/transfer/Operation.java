// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.Handles;

/**
 * A posted operation: what its completion will say, and its place in a list. Used again for others
 * once it was reported. Guarded by the lock of its endpoint.
 */
public abstract class Operation {
  private static final byte[] NONE = {};

  /** Comes after it in whichever list it stands. */
  public @Nullable Operation next;

  public @Nullable Object context;

  /** Whether success is not reported. */
  public boolean silent;

  // Of the completion.
  public long flags;
  public long length;
  public long data;
  public long tag;
  public long source = Handles.NOT_AVAILABLE;
  public Completion.@Nullable Failure failure;

  /** Becomes one that failed. */
  public void fail(Errno errno, long received, long overflow, byte[] errorData, String reason) {
    failure =
        Completion.Failure.of(errno, reason)
            .context(context)
            .flags(flags)
            .length(received)
            .overflow(overflow)
            .data(data)
            .tag(tag)
            .source(source)
            .errorData(errorData)
            .build();
  }

  public void fail(Errno errno, String reason) {
    fail(errno, 0, 0, NONE, reason);
  }

  /** Forgets everything, to be used for another one. */
  public void clear() {
    next = null;
    context = null;
    silent = false;
    flags = 0;
    length = 0;
    data = 0;
    tag = 0;
    source = Handles.NOT_AVAILABLE;
    failure = null;
  }
}
