// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.provider.libfabric.StressOperation.Kind.FORBIDDEN;
import static org.ofi4j.provider.libfabric.StressOperation.Kind.RECEIVE_SEVERAL;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionHandler;
import org.ofi4j.Errno;

/** Judges the completions of a session of the stress test. */
final class StressCompletions implements CompletionHandler {
  private static final long LAST = CompletionFlag.MULTI_RECEIVE.mask();
  private static final long RECEIVED = CompletionFlag.RECEIVE.mask();

  /** Errors of operations with peers that are gone, or that refuse an access. */
  private static final Set<Errno> EXPECTED =
      EnumSet.of(
          Errno.ECANCELED,
          Errno.ECONNABORTED,
          Errno.ECONNREFUSED,
          Errno.ECONNRESET,
          Errno.EHOSTUNREACH,
          Errno.ENOENT,
          Errno.ENOTCONN,
          Errno.ESHUTDOWN,
          Errno.ETIMEDOUT);

  /** Actions after which provider {@code shm} reports EIO from operations with the peer. */
  private static final Set<StressAction> ENDS =
      EnumSet.of(
          StressAction.CLOSE,
          StressAction.REOPEN,
          StressAction.END,
          StressAction.EXIT,
          StressAction.KILL);

  private static final Set<Errno> REFUSED_ACCESS =
      EnumSet.of(
          Errno.EACCES,
          Errno.EINVAL,
          Errno.EIO,
          Errno.EKEYREJECTED,
          Errno.EREMOTEIO,
          Errno.ENOKEY,
          Errno.EFAULT,
          Errno.EPERM);

  private final StressSession session;
  private final StressProgram program;

  StressCompletions(StressSession session) {
    this.session = session;
    program = session.program;
  }

  @Override
  public void completed(
      @Nullable Object context, long flags, long length, long data, long tag, long source) {
    if (!(context instanceof StressOperation operation)) {
      program.fail("a completion with context " + context);
      return;
    }
    boolean last = operation.kind != RECEIVE_SEVERAL || (flags & LAST) != 0;
    end(operation, last);
    switch (operation.kind) {
      case RECEIVE, RECEIVE_TAGGED -> received(operation, 0, length);
      case RECEIVE_SEVERAL -> {
        if ((flags & RECEIVED) != 0 && (length > 0 || (flags & LAST) == 0)) {
          received(operation, tag, length);
        }
      }
      case FORBIDDEN -> program.fail("it has succeeded: " + operation);
      default -> {}
    }
  }

  private void received(StressOperation operation, long at, long length) {
    program.received.incrementAndGet();
    MemorySegment buffer = operation.buffer;
    if (buffer == null || at < 0 || length < 0 || at + length > buffer.byteSize()) {
      program.fail("%s has got %d bytes at %d".formatted(operation, length, at));
      return;
    }
    MemorySegment message = buffer.asSlice(at, length);
    String fault = StressMessage.fault(message, operation.endpoint.destination);
    if (fault != null) {
      program.fail(operation + ": " + fault);
    } else if (length >= StressMessage.HEADER) {
      arrived(operation, StressMessage.number(message));
    }
  }

  private void arrived(StressOperation operation, long number) {
    StressEndpoint endpoint = operation.endpoint;
    if (number >>> 24 == ((long) program.number << 16 | endpoint.number)) {
      endpoint.selfReceived++;
    }
    if (!program.isNew(number)) {
      program.fail("%s: message 0x%x has come twice".formatted(operation, number));
    }
  }

  private void end(StressOperation operation, boolean last) {
    if (last ? !operation.end() : operation.isEnded()) {
      program.fail("it has completed again: " + operation);
    }
    if (last) {
      operation.endpoint.posted.remove(operation);
    }
  }

  @Override
  public void failed(Completion.Failure failure) {
    if (!(failure.context() instanceof StressOperation operation)) {
      if (!EXPECTED.contains(failure.errno())) {
        // Of an injected message.
        program.fail("a failure with another context: " + failure);
      }
      return;
    }
    boolean truncated = operation.isReceive() && failure.errno() == Errno.ETRUNC;
    end(
        operation,
        operation.kind != RECEIVE_SEVERAL || !truncated || (failure.flags() & LAST) != 0);
    boolean expected =
        EXPECTED.contains(failure.errno())
            || truncated
            || (failure.errno() == Errno.EIO && isEndOfPeer())
            || (isAccess(operation) && REFUSED_ACCESS.contains(failure.errno()));
    if (!expected) {
      program.fail("it has failed with " + failure + ": " + operation);
    }
    MemorySegment buffer = operation.buffer;
    if (truncated
        && operation.kind != RECEIVE_SEVERAL
        && buffer != null
        && StressMessage.hasHeader(buffer)) {
      arrived(operation, StressMessage.number(buffer));
    }
  }

  private boolean isEndOfPeer() {
    return program.provider.equals("shm") && ENDS.stream().anyMatch(StressAction::isOn);
  }

  private static boolean isAccess(StressOperation operation) {
    return switch (operation.kind) {
      case WRITE, READ, FORBIDDEN -> true;
      default -> false;
    };
  }
}
