// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.OperationFailedException;

/** Counts operations that succeed, and makes nothing of them. One that fails throws. */
final class Completed implements CompletionHandler {
  int count;

  @Override
  public void completed(
      @Nullable Object context, long flags, long length, long data, long tag, long source) {
    count++;
  }

  @Override
  public void failed(Completion.Failure failure) {
    throw new OperationFailedException(failure);
  }
}
