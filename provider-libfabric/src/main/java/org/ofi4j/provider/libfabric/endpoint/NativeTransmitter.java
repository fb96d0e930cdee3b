// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.TransferCalls;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/**
 * The sends, reads and writes of an endpoint. An operation is posted at once if libfabric takes it;
 * while it does not, the operation waits in the {@link Backlog}, and those to the same peer behind
 * it. The lock of the domain guards all.
 */
final class NativeTransmitter extends NativeDirection implements Transmitter {
  /** The flags that libfabric gets: injected messages are copied. */
  private static final long PASSED =
      Flag.maskOf(
          TransferFlag.REMOTE_CQ_DATA,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  private final long patience;
  private final Backlog backlog = new Backlog();

  /** The region of the endpoint in shared memory, and its peers there; null over other fabrics. */
  private final @Nullable EndpointRegion region;

  private final @Nullable GonePeers gone;

  /**
   * Creates the transmitter of an endpoint that is enabled.
   *
   * @param patience how long an operation may wait to be posted, in nanoseconds
   */
  NativeTransmitter(
      OpenEndpoint endpoint,
      Completions completions,
      FabricInfo info,
      long patience,
      @Nullable EndpointRegion region) {
    super(endpoint, completions, info, info.transmit().size());
    this.patience = patience;
    this.region = region;
    gone = region == null ? null : new GonePeers(this, domain.contexts(), region.slots());
  }

  @Override
  public @Nullable Operation take(CounterFlag what, boolean tagged, long handle) {
    checkTags(tagged);
    Peer peer = peers.peer(handle);
    if (outstanding.get() >= size) {
      return null;
    }
    NativeOperation operation = begun(what, tagged);
    operation.to = peer;
    peer.outstanding++;
    return operation;
  }

  @Override
  public void post(Operation taken) {
    NativeOperation operation = (NativeOperation) taken;
    try {
      if (operation.what == CounterFlag.READ) {
        PostedMemory.checkLength("read", operation.memory.length(), maxMessage);
        memory.reserve(operation, Long.MAX_VALUE);
      } else {
        memory.fill(operation);
      }
      checkPlaces(operation);
      post(operation, peer(operation));
    } catch (RuntimeException | Error refused) {
      giveBack(operation);
      throw refused;
    }
  }

  /** The information may be a changed copy of an offer, with a larger limit. */
  private static void checkPlaces(NativeOperation operation) {
    if (operation.places != null && operation.places.length > TransferCalls.MOST_PLACES) {
      throw invalid(
          "%s places of a peer's memory: there can be %s at most"
              .formatted(operation.places.length, TransferCalls.MOST_PLACES));
    }
  }

  private void post(NativeOperation operation, Peer peer) {
    int errno = Constants.TRY_AGAIN;
    if (!backlog.has(peer)) {
      try {
        errno = attempt(operation, peer);
      } catch (FabricException refused) {
        if (!peer.isGone()) {
          throw refused;
        }
        fail(operation, refused);
        return;
      }
    }
    if (errno == Constants.TRY_AGAIN) {
      backlog.add(peer, operation);
      endpoint.changed();
    } else if (errno < 0) {
      throw refused(operation, errno);
    }
  }

  private static Peer peer(NativeOperation operation) {
    return Objects.requireNonNull(operation.to);
  }

  private int attempt(NativeOperation operation, Peer peer) {
    if (!peers.reach(peer)) {
      return Constants.TRY_AGAIN;
    }
    PeerFile file = peer.file;
    if (region == null || file == null || region.isConnected(file, peer.handle)) {
      return call(operation, peer.handle);
    }
    if (!region.connect(file)) {
      return Constants.TRY_AGAIN;
    }
    int errno = call(operation, peer.handle);
    if (errno == 0) {
      region.connected(file, peer.handle);
    }
    return errno;
  }

  private int call(NativeOperation posted, long to) {
    long address = posted.address;
    long length = posted.size;
    long descriptor = posted.descriptor;
    long flags = posted.flags & PASSED;
    return switch (posted.what) {
      case SEND ->
          posted.tagged
              ? calls.sendTagged(
                  address, length, descriptor, to, posted.block, posted.tag, posted.data, flags)
              : calls.send(address, length, descriptor, to, posted.block, posted.data, flags);
      case READ -> calls.read(address, length, descriptor, to, posted.block, places(posted), flags);
      case WRITE ->
          calls.write(
              address, length, descriptor, to, posted.block, places(posted), posted.data, flags);
      default -> throw new IllegalStateException("no transmitter posts " + posted.what);
    };
  }

  /** Names the places in the memory of the peer; returns how many there are. */
  private int places(NativeOperation access) {
    RemotePlace[] several = access.places;
    if (several == null) {
      calls.place(0, access.remoteAddress, access.size, access.remoteKey);
      return 1;
    }
    for (int i = 0; i < several.length; i++) {
      calls.place(i, several[i].address(), several[i].length(), several[i].key());
    }
    return several.length;
  }

  /** Whether an operation waits to be posted. */
  boolean isDue() {
    return !backlog.isEmpty();
  }

  /** Posts what waits, as far as libfabric takes it, and reports what found no space before. */
  void progress() {
    completions.reportKept();
    if (!backlog.isEmpty()) {
      backlog.retry(this::leavesBacklog);
    }
    if (gone != null && outstanding.get() != 0) {
      gone.check();
    }
  }

  private boolean leavesBacklog(NativeOperation operation, long waited) {
    FabricException reason;
    try {
      int errno = attempt(operation, peer(operation));
      if (errno == 0) {
        return true;
      }
      if (errno == Constants.TRY_AGAIN && waited < patience) {
        return false;
      }
      reason = errno == Constants.TRY_AGAIN ? late() : refused(operation, errno);
    } catch (FabricException unreachable) {
      reason = unreachable;
    }
    fail(operation, reason);
    return true;
  }

  private FabricException late() {
    return new FabricException(
        Errno.ETIMEDOUT,
        "the peer took nothing for "
            + patience / 1_000_000
            + " ms (connectTimeout): it is not there, or does not read");
  }

  @Override
  void carriedOut(NativeOperation operation, long entry, long from) {
    String reason = null;
    if (operation.what == CounterFlag.READ) {
      String unusable = OperationMemory.copyOut(operation, operation.size);
      reason = unusable == null ? null : "the memory of the operation " + unusable;
    } else if (operation.direct != null && !completions.isSilent(operation)) {
      // Without a completion the application learns from a reply that it may change the memory.
      String changed = operation.memory.changed();
      reason =
          changed == null ? null : "the message was sent, perhaps with wrong bytes: " + changed;
    }
    if (reason != null) {
      operation.fail(Errno.EINVAL, reason);
    }
    end(operation);
  }

  /** Takes out what waits; libfabric does not have it. */
  Backlog backlog() {
    return backlog;
  }
}
