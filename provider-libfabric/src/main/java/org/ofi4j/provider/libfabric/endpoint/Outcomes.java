// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.SearchFlags;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.library.TransferStructs.Entry;
import org.ofi4j.provider.libfabric.library.TransferStructs.ErrorEntry;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Buffer;

/**
 * What becomes of the operations of one endpoint: copies what has come to where it belongs, and
 * reports and counts it. The lock of the domain guards all.
 */
final class Outcomes {
  /** What is reported of an error. */
  private record NativeFailure(
      int errno, int providerErrno, long length, long overflow, long tag) {}

  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();
  private static final long LAST = CompletionFlag.MULTI_RECEIVE.mask();
  private static final long PUTS_ASIDE = Flag.maskOf(TransferFlag.PEEK, TransferFlag.CLAIM);
  private static final long DROPS_CLAIMED = Flag.maskOf(TransferFlag.CLAIM, TransferFlag.DISCARD);
  private static final long WRITTEN = CompletionFlag.REMOTE_WRITE.mask();

  private final NativeTraffic traffic;
  private final DomainResources domain;
  private final Destinations peers;
  private final Counters counters;
  private final EndpointBindings bindings;
  private final MessageSource source = new MessageSource();

  Outcomes(
      NativeTraffic traffic,
      DomainResources domain,
      Destinations peers,
      Counters counters,
      EndpointBindings bindings) {
    this.traffic = traffic;
    this.domain = domain;
    this.peers = peers;
    this.counters = counters;
    this.bindings = bindings;
  }

  /** An operation has succeeded, as an entry says. */
  void succeeded(Operation operation, long entry, long from) {
    boolean receive = operation.what == CounterFlag.RECEIVE;
    CompletionReader reader = receive ? bindings.receives() : bindings.transmits();
    if (reader == null) {
      return;
    }
    long nativeFlags = RawMemory.getLong(entry + Entry.FLAGS);
    // Of a message that is dropped some fabrics do not know the length any more.
    long length =
        operation.flags == DROPS_CLAIMED && receive
            ? operation.found
            : RawMemory.getLong(entry + Entry.LEN);
    long tag = operation.tagged ? RawMemory.getLong(entry + Entry.TAG) : 0;
    boolean several = SeveralMessages.isBuffer(operation);
    long offset = operation.filled;
    boolean filled = receive && fills(operation);
    long space = filled ? traffic.poster.space(operation) : Long.MAX_VALUE;
    String unusable = copyOut(operation, filled ? Math.min(length, space) : operation.length);
    String changed =
        // Without a completion the application learns from a reply that it may change the memory.
        !operation.silent
                && (operation.what == CounterFlag.SEND || operation.what == CounterFlag.WRITE)
            ? traffic.memory().changed(operation)
            : null;
    if (unusable != null || changed != null) {
      NativeFailure failure = new NativeFailure(Errno.EINVAL.number(), 0, 0, 0, tag);
      String reason =
          unusable != null
              ? "the memory of the operation " + unusable
              : "the message was sent, perhaps with wrong bytes: " + changed;
      fail(operation, reader, failure, reason);
      return;
    }
    if (length > space) {
      failOverlong(operation, reader, length, space, several ? offset : tag);
      return;
    }
    boolean more = several && traffic.several.takesMore(operation, length);
    boolean last = several && !more;
    long hasData = receive ? nativeFlags & DATA : 0;
    long data = hasData == 0 ? 0 : RawMemory.getLong(entry + Entry.DATA);
    long flags = flags(operation) | hasData | (last ? LAST : 0);
    CounterFlag what = operation.what;
    Object context = operation.context;
    boolean silent = operation.silent && !last;
    long moved = receive ? length : operation.length;
    long reportedTag = several ? offset : tag;
    if (operation.flags == PUTS_ASIDE && receive) {
      traffic.claims.putAside(operation, tag, length);
    } else if (more) {
      traffic.several.postAgain();
    } else {
      traffic.giveBack(operation);
    }
    counters.succeeded(what, moved);
    if (!silent) {
      reader
          .reported()
          .report(
              context,
              flags,
              receive ? length : 0,
              data,
              receive ? reportedTag : 0,
              receive ? source(from) : Handles.NOT_AVAILABLE);
    }
    counters.count(what, false);
  }

  /** Copies a message into its receive; returns the reason if that fails, else null. */
  private static @Nullable String copyOut(Operation operation, long bytes) {
    Buffer buffer = operation.buffer;
    if (buffer == null || operation.what == CounterFlag.SEND || !fills(operation)) {
      return null;
    }
    long offset = operation.filled;
    return Pieces.copyOut(buffer.address + offset, operation, offset, bytes);
  }

  /** A message was longer than its receive, which has its first bytes. */
  private void failOverlong(
      Operation receive, CompletionReader reader, long length, long space, long tag) {
    int errno = Errno.ETRUNC.number();
    NativeFailure overlong = new NativeFailure(errno, errno, space, length - space, tag);
    String reason = "a message of %s bytes came for a buffer of %s".formatted(length, space);
    fail(receive, reader, overlong, reason);
  }

  /** Whether something comes into the application's memory. */
  private static boolean fills(Operation operation) {
    return operation.what != CounterFlag.WRITE && !SearchFlags.leavesMemory(operation.flags);
  }

  private static long flags(Operation operation) {
    return switch (operation.what) {
      case SEND, RECEIVE ->
          (operation.tagged ? CompletionFlag.TAGGED.mask() : CompletionFlag.MSG.mask())
              | operation.what.mask();
      default -> CompletionFlag.RMA.mask() | operation.what.mask();
    };
  }

  private long source(long from) {
    if (!domain.reportsSources()) {
      return Handles.NOT_AVAILABLE;
    }
    peers.source(from, source);
    return source.reported();
  }

  /** A peer has written to memory here, with data; false if the entry does not say that. */
  boolean writtenTo(long entry) {
    long flags = RawMemory.getLong(entry + Entry.FLAGS);
    CompletionReader reader = bindings.receives();
    if (reader == null || (flags & WRITTEN) == 0 || (flags & DATA) == 0) {
      return false;
    }
    reader
        .reported()
        .report(
            null,
            CompletionFlag.RMA.mask() | WRITTEN | DATA,
            RawMemory.getLong(entry + Entry.LEN),
            RawMemory.getLong(entry + Entry.DATA),
            0,
            Handles.NOT_AVAILABLE);
    return true;
  }

  /** An operation has failed, as an entry says. */
  void failed(Operation operation, long entry, @Nullable String words) {
    NativeFailure failure =
        new NativeFailure(
            Math.abs(RawMemory.getInt(entry + ErrorEntry.ERR)),
            RawMemory.getInt(entry + ErrorEntry.PROV_ERRNO),
            RawMemory.getLong(entry + ErrorEntry.LEN),
            RawMemory.getLong(entry + ErrorEntry.OLEN),
            operation.tagged ? RawMemory.getLong(entry + ErrorEntry.TAG) : 0);
    boolean receive = operation.what == CounterFlag.RECEIVE;
    CompletionReader reader = receive ? bindings.receives() : bindings.transmits();
    if (reader == null) {
      return;
    }
    Errno errno = Errno.of(failure.errno());
    if (errno == Errno.ECANCELED && operation.severed && !operation.withdrawn) {
      operation.orphaned = true;
      return;
    }
    if (errno == Errno.ETRUNC) {
      copyOut(operation, Math.min(failure.length(), operation.length - operation.filled));
    }
    String reason =
        operation.withdrawn
            ? Withdrawals.WITHDRAWN
            : "libfabric reports: "
                + domain.library().strerror(failure.errno())
                + (words == null ? "" : ", " + words);
    fail(operation, reader, failure, reason);
  }

  /** Why an operation is not posted, which libfabric has refused. */
  FabricException refused(Operation operation, int errno) {
    return new FabricException(
        Errno.of(-errno),
        "libfabric refuses a %s: %s".formatted(operation.what, domain.library().strerror(-errno)));
  }

  /** An operation could not be posted, or libfabric has let go of it; there is room. */
  void notPosted(Operation operation, FabricException reason) {
    CompletionReader reader =
        operation.what == CounterFlag.RECEIVE ? bindings.receives() : bindings.transmits();
    if (reader != null) {
      NativeFailure failure = new NativeFailure(reason.errno().number(), 0, 0, 0, 0);
      fail(operation, reader, failure, String.valueOf(reason.getMessage()));
    }
  }

  /** Reports a failure, which ends a buffer for several messages too. */
  private void fail(
      Operation operation, CompletionReader reader, NativeFailure failed, String reason) {
    CounterFlag what = operation.what;
    boolean receive = what == CounterFlag.RECEIVE;
    Completion.Failure failure =
        Completion.Failure.of(Errno.of(failed.errno()), reason)
            .context(operation.context)
            .flags(flags(operation) | (SeveralMessages.isBuffer(operation) ? LAST : 0))
            .length(receive ? failed.length() : 0)
            .overflow(receive ? failed.overflow() : 0)
            .tag(receive ? failed.tag() : 0)
            .providerErrno(failed.providerErrno() == 0 ? failed.errno() : failed.providerErrno())
            .build();
    traffic.giveBack(operation);
    counters.failed(what);
    reader.reported().report(failure);
    counters.count(what, true);
  }
}
