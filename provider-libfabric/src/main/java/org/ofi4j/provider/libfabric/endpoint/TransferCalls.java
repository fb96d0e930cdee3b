// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import org.ofi4j.CounterFlag;
import org.ofi4j.Flag;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.SearchFlags;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.DiscardSink;
import org.ofi4j.provider.libfabric.library.Downcalls;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeFunction;
import org.ofi4j.provider.libfabric.library.Offsets;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.memory.OwnedMemory;
import org.ofi4j.provider.libfabric.offer.NativeOffers;

/**
 * The calls that hand operations to an endpoint that is enabled. Each returns 0 or a negative
 * errno, of which {@link Constants#TRY_AGAIN} is the everyday one. A function that the fabric does
 * not have is never called: the operation was refused before. An operation has one piece of memory,
 * at address 0 if it has no bytes. The caller has the lock of the domain.
 *
 * <pre>
 *   scratch, which libfabric reads within the call:
 *   0 struct fi_msg, fi_msg_tagged or fi_msg_rma (64) | 64 struct iovec (16 each)
 *   | 96 descriptors (8 each) | 128 struct fi_rma_iov (24 each)
 * </pre>
 */
final class TransferCalls {
  /** The flags of a send or access that libfabric gets: injected messages are copied. */
  private static final long PASSED =
      Flag.maskOf(
          TransferFlag.REMOTE_CQ_DATA,
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE);

  private static final long PIECE = 64;
  private static final long PIECE_SIZE = 16;
  private static final long DESCRIPTOR = 96;
  private static final long PLACES = 128;
  private static final long PLACE_SIZE = 24;

  private final OwnedMemory owned = new OwnedMemory();
  private final long scratch =
      owned.allocate(PLACES + NativeOffers.MOST_PLACES * PLACE_SIZE, Long.BYTES).address();
  private final long discardSink;
  private final long endpoint;
  private final MemorySegment cancel;
  private final MemorySegment send;
  private final MemorySegment sendMessage;
  private final MemorySegment receive;
  private final MemorySegment receiveMessage;
  private final MemorySegment sendTagged;
  private final MemorySegment sendTaggedMessage;
  private final MemorySegment receiveTagged;
  private final MemorySegment receiveTaggedMessage;
  private final MemorySegment read;
  private final MemorySegment write;

  /**
   * Finds the functions of an endpoint.
   *
   * @param of an endpoint that is enabled
   * @param discardSink the address for the bytes of messages that do not fit into their receive; 0
   *     if the fabric drops them itself
   */
  TransferCalls(NativeEndpoint of, long discardSink) {
    this.discardSink = discardSink;
    endpoint = of.address();
    cancel = of.function(NativeFunction.EP_CANCEL);
    send = of.function(NativeFunction.MSG_SEND);
    sendMessage = of.function(NativeFunction.MSG_SENDMSG);
    receive = of.function(NativeFunction.MSG_RECV);
    receiveMessage = of.function(NativeFunction.MSG_RECVMSG);
    sendTagged = of.function(NativeFunction.TAGGED_SEND);
    sendTaggedMessage = of.function(NativeFunction.TAGGED_SENDMSG);
    receiveTagged = of.function(NativeFunction.TAGGED_RECV);
    receiveTaggedMessage = of.function(NativeFunction.TAGGED_RECVMSG);
    read = of.function(NativeFunction.RMA_READMSG);
    write = of.function(NativeFunction.RMA_WRITEMSG);
    RawMemory.putLong(scratch + Offsets.MSG_MSG_IOV, scratch + PIECE);
    RawMemory.putLong(scratch + Offsets.MSG_DESC, scratch + DESCRIPTOR);
  }

  /** {@code fi_send} or {@code fi_tsend}; with flags {@code fi_sendmsg} or {@code fi_tsendmsg}. */
  int send(NativeOperation sent, long to) {
    long address = sent.address;
    long length = sent.size;
    long descriptor = sent.descriptor;
    long flags = sent.flags & PASSED;
    if (flags != 0) {
      piece(address, length, descriptor);
      return sent.tagged
          ? callTagged(sendTaggedMessage, sent, to, sent.tag, 0, flags)
          : callMessage(sendMessage, sent, to, flags);
    }
    return (int)
        (sent.tagged
            ? Downcalls.call(
                sendTagged, endpoint, address, length, descriptor, to, sent.tag, sent.block)
            : Downcalls.call(send, endpoint, address, length, descriptor, to, sent.block));
  }

  /**
   * {@code fi_recv} or {@code fi_trecv}; with flags, or a second piece for bytes that do not fit,
   * {@code fi_recvmsg} or {@code fi_trecvmsg}.
   *
   * @param length the space for a message behind the bytes that are filled
   */
  int receive(NativeOperation posted, long length) {
    long from = posted.to == null ? Constants.ANY : posted.to.handle;
    long address = posted.address == 0 ? 0 : posted.address + posted.filled;
    long descriptor = posted.descriptor;
    long flags = posted.tagged ? posted.flags & SearchFlags.ALL : 0;
    long tag = posted.claims ? posted.foundTag : posted.tag;
    long ignore = posted.claims ? 0 : posted.ignore;
    if (flags != 0 || discardSink != 0) {
      piece(address, length, descriptor);
      if (discardSink != 0 && !SearchFlags.leavesMemory(flags)) {
        discardRest(address);
      }
      return posted.tagged
          ? callTagged(receiveTaggedMessage, posted, from, tag, ignore, flags)
          : callMessage(receiveMessage, posted, from, 0);
    }
    return (int)
        (posted.tagged
            ? Downcalls.call(
                receiveTagged,
                endpoint,
                address,
                length,
                descriptor,
                from,
                tag,
                ignore,
                posted.block)
            : Downcalls.call(receive, endpoint, address, length, descriptor, from, posted.block));
  }

  private int callMessage(MemorySegment function, NativeOperation posted, long peer, long flags) {
    RawMemory.putLong(scratch + Offsets.MSG_ADDR, peer);
    RawMemory.putLong(scratch + Offsets.MSG_CONTEXT, posted.block);
    RawMemory.putLong(scratch + Offsets.MSG_DATA, posted.data);
    return (int) Downcalls.call(function, endpoint, scratch, flags);
  }

  private int callTagged(
      MemorySegment function,
      NativeOperation posted,
      long peer,
      long tag,
      long ignore,
      long flags) {
    RawMemory.putLong(scratch + Offsets.TAGGED_ADDR, peer);
    RawMemory.putLong(scratch + Offsets.TAGGED_TAG, tag);
    RawMemory.putLong(scratch + Offsets.TAGGED_IGNORE, ignore);
    RawMemory.putLong(scratch + Offsets.TAGGED_CONTEXT, posted.block);
    RawMemory.putLong(scratch + Offsets.TAGGED_DATA, posted.data);
    return (int) Downcalls.call(function, endpoint, scratch, flags);
  }

  /** {@code fi_readmsg} or {@code fi_writemsg}. */
  int access(NativeOperation access, long peer) {
    piece(access.address, access.size, access.descriptor);
    RemotePlace[] several = access.places;
    int count = several == null ? 1 : several.length;
    if (several == null) {
      place(0, access.remoteAddress, access.size, access.remoteKey);
    } else {
      for (int i = 0; i < count; i++) {
        place(i, several[i].address(), several[i].length(), several[i].key());
      }
    }
    RawMemory.putLong(scratch + Offsets.RMA_ADDR, peer);
    RawMemory.putLong(scratch + Offsets.RMA_RMA_IOV, scratch + PLACES);
    RawMemory.putLong(scratch + Offsets.RMA_RMA_IOV_COUNT, count);
    RawMemory.putLong(scratch + Offsets.RMA_CONTEXT, access.block);
    RawMemory.putLong(scratch + Offsets.RMA_DATA, access.data);
    MemorySegment function = access.what == CounterFlag.READ ? read : write;
    return (int) Downcalls.call(function, endpoint, scratch, access.flags & PASSED);
  }

  /** Names a place in the memory of the peer. */
  private void place(int index, long address, long length, long key) {
    long place = scratch + PLACES + index * PLACE_SIZE;
    RawMemory.putLong(place + Offsets.RMA_IOV_ADDR, address);
    RawMemory.putLong(place + Offsets.RMA_IOV_LEN, length);
    RawMemory.putLong(place + Offsets.RMA_IOV_KEY, key);
  }

  private void piece(long address, long length, long descriptor) {
    RawMemory.putLong(scratch + Offsets.MSG_IOV_COUNT, address == 0 ? 0 : 1);
    putPiece(0, address, length);
    RawMemory.putLong(scratch + DESCRIPTOR, descriptor);
  }

  /** Adds the second piece of a receive, behind the first one if that has bytes. */
  private void discardRest(long address) {
    int index = address == 0 ? 0 : 1;
    putPiece(index, discardSink, DiscardSink.BYTES);
    RawMemory.putLong(scratch + Offsets.MSG_IOV_COUNT, index + 1);
    RawMemory.putLong(scratch + DESCRIPTOR + (long) index * Long.BYTES, 0);
  }

  private void putPiece(int index, long address, long length) {
    long piece = scratch + PIECE + index * PIECE_SIZE;
    RawMemory.putLong(piece + Offsets.IOVEC_IOV_BASE, address);
    RawMemory.putLong(piece + Offsets.IOVEC_IOV_LEN, length);
  }

  /** {@code fi_cancel}; returns whether an operation with that context was found. */
  boolean cancel(NativeOperation operation) {
    // Fabrics do not agree on the value for a context that no operation has.
    return cancel.address() != 0 && Downcalls.call(cancel, endpoint, operation.block) >= 0;
  }

  /** Frees the scratch memory; nothing is posted any more. */
  void close() {
    owned.close();
  }
}
