// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.SingleWriterCounter;
import org.ofi4j.provider.libfabric.library.Offsets;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The operations of one direction of an endpoint, from being taken until they are reported: what
 * {@link NativeTransmitter} and {@link NativeReceiver} have in common. The lock of the domain
 * guards all.
 */
abstract sealed class NativeDirection implements NativeOperation.Owner
    permits NativeTransmitter, NativeReceiver {
  /** The error of a receive that was withdrawn. */
  static final String WITHDRAWN = "the receive was withdrawn with cancel";

  final NativeTransport endpoint;
  final DomainResources domain;
  final Completions completions;
  final TransferCalls calls;
  final Destinations peers;
  final OperationMemory memory;
  final int size;
  final long maxMessage;
  final SingleWriterCounter outstanding = new SingleWriterCounter();
  private final boolean tags;

  NativeDirection(NativeTransport endpoint, Completions completions, FabricInfo info, int size) {
    this.endpoint = endpoint;
    this.completions = completions;
    this.size = size;
    domain = endpoint.domain;
    calls = endpoint.calls;
    peers = endpoint.peers;
    memory = endpoint.memory;
    maxMessage = info.endpoint().maxMessageSize();
    tags = info.has(Capability.TAGGED);
  }

  public final void lock() {
    endpoint.lock();
  }

  public final void unlock() {
    endpoint.unlock();
  }

  /** Returns how many operations are under way, or have ended and were not reported. */
  public final long outstanding() {
    return outstanding.get();
  }

  /** Refuses tags where the fabric has none: some take such calls all the same, and crash. */
  final void checkTags(boolean tagged) {
    if (tagged && !tags) {
      throw new FabricException(
          Errno.EOPNOTSUPP, endpoint + " has no capability TAGGED: ask for it in the hints");
    }
  }

  /** Takes an operation of a kind with an idle context block. */
  final NativeOperation begun(CounterFlag what, boolean tagged) {
    NativeOperation operation = domain.contexts.take();
    operation.owner = this;
    operation.begin(what, tagged);
    operation.number = endpoint.nextNumber();
    outstanding.add(1);
    return operation;
  }

  @Override
  public final void giveBack(NativeOperation operation) {
    release(operation);
    domain.contexts.giveBack(operation);
  }

  /** Lets go of all that an operation has but its block. */
  final void release(NativeOperation operation) {
    outstanding.add(-1);
    if (operation.to != null) {
      operation.to.outstanding--;
    }
    memory.release(operation);
    operation.clear();
  }

  /** Returns the exception for an operation that libfabric has refused. */
  final FabricException refused(NativeOperation operation, int errno) {
    return new FabricException(
        Errno.of(-errno),
        "libfabric refuses a %s: %s".formatted(operation.what, domain.library.strerror(-errno)));
  }

  // Ends of operations.

  @Override
  public final void succeeded(NativeOperation operation, long entry, long from) {
    if (endpoint.isClosed()) {
      giveBack(operation);
    } else {
      carriedOut(operation, entry, from);
    }
  }

  /** Reports an operation that libfabric has carried out; see {@link #succeeded}. */
  abstract void carriedOut(NativeOperation operation, long entry, long from);

  @Override
  public final void failed(NativeOperation operation, long entry, @Nullable String words) {
    boolean receive = operation.what == CounterFlag.RECEIVE;
    int reported = Math.abs(RawMemory.getInt(entry + Offsets.CQ_ERROR_ERR));
    int errno = peers.errno(reported, !receive);
    boolean cancelled = errno == Errno.ECANCELED.number();
    if (endpoint.isClosed()) {
      giveBack(operation);
    } else if (cancelled && operation.severed && !operation.withdrawn) {
      operation.orphaned = true;
    } else {
      long length = receive ? RawMemory.getLong(entry + Offsets.CQ_ERROR_LEN) : 0;
      if (receive && operation.tagged) {
        operation.receivedTag = RawMemory.getLong(entry + Offsets.CQ_ERROR_TAG);
      }
      if (receive && errno == Errno.ETRUNC.number()) {
        OperationMemory.copyOut(operation, Math.min(length, operation.size - operation.filled));
      }
      operation.fail(
          errno,
          RawMemory.getInt(entry + Offsets.CQ_ERROR_PROV_ERRNO),
          length,
          receive ? RawMemory.getLong(entry + Offsets.CQ_ERROR_OLEN) : 0,
          operation.withdrawn
              ? WITHDRAWN
              : "libfabric reports: "
                  + domain.library.strerror(errno)
                  + (words == null ? "" : ", " + words));
      end(operation);
    }
  }

  @Override
  public final void fail(NativeOperation operation, FabricException reason) {
    if (endpoint.isClosed()) {
      giveBack(operation);
    } else {
      operation.fail(reason.errno(), String.valueOf(reason.getMessage()));
      end(operation);
    }
  }

  /** Reports an operation that has ended. */
  void end(NativeOperation operation) {
    operation.ended = true;
    completions.report(operation);
  }
}
