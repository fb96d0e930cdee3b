// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.offer.NativeOffers;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;
import org.ofi4j.provider.libfabric.shm.PeerFile;
import org.ofi4j.provider.libfabric.shm.SharedRegions;
import org.ofi4j.provider.libfabric.shm.TransmitSlots;

/**
 * The sends, reads and writes of an endpoint. An operation is posted at once if libfabric takes it;
 * while it does not, the operation waits in the {@link Backlog}, and those to the same peer behind
 * it. The lock of the domain guards all.
 */
final class NativeTransmitter extends NativeDirection implements Transmitter {
  /** The time between checks for peers that are gone, in nanoseconds. */
  private static final long CHECK_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final long patience;

  /** The operations that libfabric does not have yet. */
  final Backlog backlog = new Backlog();

  /** The region of the endpoint in shared memory, and its peers there; null over other fabrics. */
  private final @Nullable EndpointRegion region;

  /** When peers are next checked, by {@link System#nanoTime}. */
  private long nextCheck = System.nanoTime();

  /** The number of closings in this process at the last check. */
  private int closings;

  /**
   * Creates the transmitter of an endpoint that is enabled.
   *
   * @param patience how long an operation may wait to be posted, in nanoseconds
   */
  NativeTransmitter(
      NativeTransport endpoint,
      Completions completions,
      FabricInfo info,
      long patience,
      @Nullable EndpointRegion region) {
    super(endpoint, completions, info, info.transmit().size());
    this.patience = patience;
    this.region = region;
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
    if (operation.places != null && operation.places.length > NativeOffers.MOST_PLACES) {
      throw invalid(
          "%s places of a peer's memory: there can be %s at most"
              .formatted(operation.places.length, NativeOffers.MOST_PLACES));
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
    return posted.what == CounterFlag.SEND ? calls.send(posted, to) : calls.access(posted, to);
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
    if (region != null && outstanding.get() != 0) {
      endGonePeers(region.slots());
    }
  }

  /**
   * Ends the operations that were posted to peers which are gone. Checks once in a while, and after
   * each closing in this process.
   *
   * @param slots the operations in the region of the endpoint
   */
  private void endGonePeers(TransmitSlots slots) {
    long now = System.nanoTime();
    if (now - nextCheck < 0 && closings == SharedRegions.closings()) {
      return;
    }
    nextCheck = now + CHECK_PAUSE;
    closings = SharedRegions.closings();
    Set<Path> gone = null;
    for (NativeOperation each : domain.contexts.all()) {
      PeerFile file = file(each);
      if (file != null && file.isEnded()) {
        gone = gone == null ? new HashSet<>() : gone;
        gone.add(file.path());
      }
    }
    if (gone != null) {
      gone.forEach(peer -> slots.end(context -> isFor(context, peer), peer));
    }
  }

  private boolean isFor(long context, Path peer) {
    NativeOperation operation = domain.contexts.owner(context);
    PeerFile file = operation == null ? null : file(operation);
    return file != null && file.path().equals(peer);
  }

  /** Returns the file of the peer of an operation that was posted here, and has not ended. */
  @SuppressWarnings("ReferenceEquality") // a transmitter is itself and no other
  private @Nullable PeerFile file(NativeOperation operation) {
    Peer to = operation.owner == this && !operation.ended ? operation.to : null;
    return to == null ? null : to.file;
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
}
