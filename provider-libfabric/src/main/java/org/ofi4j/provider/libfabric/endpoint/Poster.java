// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.SearchFlags;
import org.ofi4j.provider.libfabric.library.AttributeStructs.MemoryPiece;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.DiscardSink;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.library.TransferStructs.Message;
import org.ofi4j.provider.libfabric.library.TransferStructs.RemoteMessage;
import org.ofi4j.provider.libfabric.library.TransferStructs.RemotePiece;
import org.ofi4j.provider.libfabric.library.TransferStructs.TaggedMessage;
import org.ofi4j.provider.libfabric.memory.OwnedMemory;

/**
 * Hands the operations of one endpoint to libfabric. Each has at most one piece of memory here,
 * that of its buffer; a receive has another one where {@link
 * org.ofi4j.provider.libfabric.fault.OverlongMessages} says so. Guarded by the lock of the domain.
 *
 * <pre>
 *   scratch, which libfabric reads within the call:
 *   0 struct fi_msg, fi_msg_tagged or fi_msg_rma (64) | 64 struct iovec (16 each)
 *   | 96 descriptors (8 each) | 128 struct fi_rma_iov (24 each)
 * </pre>
 */
final class Poster {
  private static final long SEVERAL = TransferFlag.MULTI_RECEIVE.mask();
  private static final long PIECE = 64;
  private static final long PIECE_SIZE = 16;
  private static final long DESCRIPTOR = 96;
  private static final long PLACES = 128;
  private static final long PLACE_SIZE = 24;

  private final OwnedMemory owned = new OwnedMemory();
  private final long scratch =
      owned.allocate(PLACES + DomainResources.MOST_PLACES * PLACE_SIZE, Long.BYTES).address();
  private final NativeEndpoint.Operations operations;
  private final long discardSink;
  private final long maxMessage;

  /**
   * Nothing is posted yet.
   *
   * @param discardSink where bytes go that do not fit into a receive; 0 if there is no such memory
   * @param maxMessage how long a message may be; some fabrics refuse longer receives
   */
  Poster(NativeEndpoint endpoint, long discardSink, long maxMessage) {
    this.discardSink = discardSink;
    this.maxMessage = maxMessage;
    operations = endpoint.operations();
    RawMemory.putLong(scratch + Message.MSG_IOV, scratch + PIECE);
    RawMemory.putLong(scratch + Message.DESC, scratch + DESCRIPTOR);
  }

  /**
   * Posts an operation.
   *
   * @return 0, or a negative errno
   */
  int post(Operation operation) {
    return switch (operation.what) {
      case SEND -> operation.tagged ? sendTagged(operation) : send(operation);
      case RECEIVE -> operation.tagged ? receiveTagged(operation) : receive(operation);
      case READ -> operations.read(remote(operation), operation.flags);
      case WRITE -> operations.write(remote(operation), operation.flags);
      case REMOTE_READ, REMOTE_WRITE ->
          throw new IllegalStateException("nobody posts " + operation.what);
    };
  }

  private int send(Operation send) {
    long to = Objects.requireNonNull(send.peer).handle;
    if (send.flags == 0) {
      return operations.send(send.address, send.length, send.descriptor, to, send.block);
    }
    return operations.sendMessage(message(send, to), send.flags);
  }

  private int receive(Operation receive) {
    long flags = receive.flags & ~SEVERAL;
    if (flags == 0 && discardSink == 0) {
      return operations.receive(
          receive.address + receive.filled,
          space(receive),
          receive.descriptor,
          source(receive),
          receive.block);
    }
    message(receive, source(receive));
    discardRest(receive);
    return operations.receiveMessage(scratch, flags);
  }

  /** How long a message may be that fits into a receive, as far as it is not filled. */
  long space(Operation receive) {
    return Math.min(receive.length - receive.filled, maxMessage);
  }

  private static long source(Operation receive) {
    return receive.peer == null ? Constants.ANY : receive.peer.handle;
  }

  private long message(Operation operation, long peer) {
    piece(operation);
    RawMemory.putLong(scratch + Message.ADDR, peer);
    RawMemory.putLong(scratch + Message.CONTEXT, operation.block);
    RawMemory.putLong(scratch + Message.DATA, operation.data);
    return scratch;
  }

  private int sendTagged(Operation send) {
    return operations.sendTagged(
        tagged(send, Objects.requireNonNull(send.peer).handle), send.flags);
  }

  private int receiveTagged(Operation receive) {
    tagged(receive, source(receive));
    discardRest(receive);
    return operations.receiveTagged(scratch, receive.flags);
  }

  private long tagged(Operation operation, long peer) {
    piece(operation);
    RawMemory.putLong(scratch + TaggedMessage.ADDR, peer);
    RawMemory.putLong(scratch + TaggedMessage.TAG, operation.tag);
    RawMemory.putLong(scratch + TaggedMessage.IGNORE, operation.ignore);
    RawMemory.putLong(scratch + TaggedMessage.CONTEXT, operation.block);
    RawMemory.putLong(scratch + TaggedMessage.DATA, operation.data);
    return scratch;
  }

  private long remote(Operation operation) {
    piece(operation);
    RawMemory.putLong(scratch + RemoteMessage.ADDR, Objects.requireNonNull(operation.peer).handle);
    RawMemory.putLong(scratch + RemoteMessage.RMA_IOV, scratch + PLACES);
    RawMemory.putLong(scratch + RemoteMessage.RMA_IOV_COUNT, places(operation));
    RawMemory.putLong(scratch + RemoteMessage.CONTEXT, operation.block);
    RawMemory.putLong(scratch + RemoteMessage.DATA, operation.data);
    return scratch;
  }

  /** Writes the places in remote memory; how many there are. */
  private int places(Operation operation) {
    RemotePlace one = operation.place;
    if (one != null) {
      place(0, one.address() + operation.offset, operation.length, one.key());
      return 1;
    }
    @Nullable RemotePlace[] several = Objects.requireNonNull(operation.places);
    for (int i = 0; i < several.length; i++) {
      RemotePlace each = Objects.requireNonNull(several[i]);
      place(i, each.address(), each.length(), each.key());
    }
    return several.length;
  }

  private void place(int index, long address, long length, long key) {
    long place = scratch + PLACES + index * PLACE_SIZE;
    RawMemory.putLong(place + RemotePiece.ADDR, address);
    RawMemory.putLong(place + RemotePiece.LEN, length);
    RawMemory.putLong(place + RemotePiece.KEY, key);
  }

  private void piece(Operation operation) {
    RawMemory.putLong(scratch + Message.IOV_COUNT, operation.address == 0 ? 0 : 1);
    putPiece(0, operation.address + operation.filled, operation.length - operation.filled);
    RawMemory.putLong(scratch + DESCRIPTOR, operation.descriptor);
  }

  /** Gives a receive another piece, if it needs one and is to be filled at all. */
  private void discardRest(Operation receive) {
    RawMemory.putLong(scratch + PIECE + MemoryPiece.IOV_LEN, space(receive));
    if (discardSink != 0 && !SearchFlags.leavesMemory(receive.flags)) {
      int index = receive.address == 0 ? 0 : 1;
      putPiece(index, discardSink, DiscardSink.BYTES);
      RawMemory.putLong(scratch + Message.IOV_COUNT, index + 1);
      RawMemory.putLong(scratch + DESCRIPTOR + (long) index * Long.BYTES, 0);
    }
  }

  private void putPiece(int index, long address, long length) {
    long piece = scratch + PIECE + index * PIECE_SIZE;
    RawMemory.putLong(piece + MemoryPiece.IOV_BASE, address);
    RawMemory.putLong(piece + MemoryPiece.IOV_LEN, length);
  }

  /** {@code fi_cancel}; false if libfabric does not have the operation any more. */
  boolean cancel(Operation operation) {
    return operations.cancel(operation.block);
  }

  /** Nothing is posted any more. */
  void close() {
    owned.close();
  }
}
