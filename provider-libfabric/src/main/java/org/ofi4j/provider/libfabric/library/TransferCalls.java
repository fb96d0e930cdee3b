// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.provider.libfabric.library.AttributeStructs.MemoryPiece;
import org.ofi4j.provider.libfabric.library.ObjectStructs.Endpoint;
import org.ofi4j.provider.libfabric.library.ObjectStructs.EndpointFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.MessageFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.RemoteFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.TaggedFunctions;
import org.ofi4j.provider.libfabric.library.TransferStructs.Message;
import org.ofi4j.provider.libfabric.library.TransferStructs.RemoteMessage;
import org.ofi4j.provider.libfabric.library.TransferStructs.RemotePiece;
import org.ofi4j.provider.libfabric.library.TransferStructs.TaggedMessage;

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
public final class TransferCalls implements AutoCloseable {
  /** The largest number of places in the memory of a peer that an operation reaches. */
  public static final int MOST_PLACES = 4;

  private static final long PIECE = 64;
  private static final long PIECE_SIZE = 16;
  private static final long DESCRIPTOR = 96;
  private static final long PLACES = 128;
  private static final long PLACE_SIZE = 24;

  private final Arena arena = Arena.ofShared();
  private final long scratch =
      arena.allocate(PLACES + MOST_PLACES * PLACE_SIZE, Long.BYTES).address();
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
  public TransferCalls(NativeEndpoint of, long discardSink) {
    this.discardSink = discardSink;
    endpoint = of.address();
    long general = RawMemory.getLong(endpoint + Endpoint.OPS);
    cancel = NativeObject.function(general, EndpointFunctions.CANCEL);
    long message = RawMemory.getLong(endpoint + Endpoint.MSG);
    send = NativeObject.function(message, MessageFunctions.SEND);
    sendMessage = NativeObject.function(message, MessageFunctions.SENDMSG);
    receive = NativeObject.function(message, MessageFunctions.RECV);
    receiveMessage = NativeObject.function(message, MessageFunctions.RECVMSG);
    long tagged = RawMemory.getLong(endpoint + Endpoint.TAGGED);
    sendTagged = NativeObject.function(tagged, TaggedFunctions.SEND);
    sendTaggedMessage = NativeObject.function(tagged, TaggedFunctions.SENDMSG);
    receiveTagged = NativeObject.function(tagged, TaggedFunctions.RECV);
    receiveTaggedMessage = NativeObject.function(tagged, TaggedFunctions.RECVMSG);
    long remote = RawMemory.getLong(endpoint + Endpoint.RMA);
    read = NativeObject.function(remote, RemoteFunctions.READMSG);
    write = NativeObject.function(remote, RemoteFunctions.WRITEMSG);
    RawMemory.putLong(scratch + Message.MSG_IOV, scratch + PIECE);
    RawMemory.putLong(scratch + Message.DESC, scratch + DESCRIPTOR);
  }

  /** {@code fi_send}, or {@code fi_sendmsg} with flags. */
  public int send(
      long address, long length, long descriptor, long to, long context, long data, long flags) {
    if (flags == 0) {
      return (int) Downcalls.call(send, endpoint, address, length, descriptor, to, context);
    }
    piece(address, length, descriptor);
    message(to, context, data);
    return (int) Downcalls.call(sendMessage, endpoint, scratch, flags);
  }

  /** {@code fi_recv}, or {@code fi_recvmsg} with a second piece for bytes that do not fit. */
  public int receive(long address, long length, long descriptor, long from, long context) {
    if (discardSink == 0) {
      return (int) Downcalls.call(receive, endpoint, address, length, descriptor, from, context);
    }
    piece(address, length, descriptor);
    discardRest(address);
    message(from, context, 0);
    return (int) Downcalls.call(receiveMessage, endpoint, scratch, 0);
  }

  private void message(long peer, long context, long data) {
    RawMemory.putLong(scratch + Message.ADDR, peer);
    RawMemory.putLong(scratch + Message.CONTEXT, context);
    RawMemory.putLong(scratch + Message.DATA, data);
  }

  /** {@code fi_tsend}, or {@code fi_tsendmsg} with flags. */
  public int sendTagged(
      long address,
      long length,
      long descriptor,
      long to,
      long context,
      long tag,
      long data,
      long flags) {
    if (flags == 0) {
      return (int)
          Downcalls.call(sendTagged, endpoint, address, length, descriptor, to, tag, context);
    }
    piece(address, length, descriptor);
    tagged(to, context, tag, 0, data);
    return (int) Downcalls.call(sendTaggedMessage, endpoint, scratch, flags);
  }

  /**
   * {@code fi_trecv}, or {@code fi_trecvmsg} with flags or a second piece for bytes that do not
   * fit.
   *
   * @param fills whether bytes of the message are written to memory
   */
  public int receiveTagged(
      long address,
      long length,
      long descriptor,
      long from,
      long context,
      long tag,
      long ignore,
      long flags,
      boolean fills) {
    if (flags == 0 && discardSink == 0) {
      return (int)
          Downcalls.call(
              receiveTagged, endpoint, address, length, descriptor, from, tag, ignore, context);
    }
    piece(address, length, descriptor);
    if (discardSink != 0 && fills) {
      discardRest(address);
    }
    tagged(from, context, tag, ignore, 0);
    return (int) Downcalls.call(receiveTaggedMessage, endpoint, scratch, flags);
  }

  private void tagged(long peer, long context, long tag, long ignore, long data) {
    RawMemory.putLong(scratch + TaggedMessage.ADDR, peer);
    RawMemory.putLong(scratch + TaggedMessage.TAG, tag);
    RawMemory.putLong(scratch + TaggedMessage.IGNORE, ignore);
    RawMemory.putLong(scratch + TaggedMessage.CONTEXT, context);
    RawMemory.putLong(scratch + TaggedMessage.DATA, data);
  }

  /**
   * Names a place in the memory of the peer, for the read or write that follows.
   *
   * @param index the number of the place, less than {@value #MOST_PLACES}
   */
  public void place(int index, long address, long length, long key) {
    long place = scratch + PLACES + index * PLACE_SIZE;
    RawMemory.putLong(place + RemotePiece.ADDR, address);
    RawMemory.putLong(place + RemotePiece.LEN, length);
    RawMemory.putLong(place + RemotePiece.KEY, key);
  }

  /** {@code fi_readmsg} of as many places as were named. */
  public int read(
      long address, long length, long descriptor, long from, long context, int places, long flags) {
    piece(address, length, descriptor);
    remote(from, context, places, 0);
    return (int) Downcalls.call(read, endpoint, scratch, flags);
  }

  /** {@code fi_writemsg} to as many places as were named. */
  public int write(
      long address,
      long length,
      long descriptor,
      long to,
      long context,
      int places,
      long data,
      long flags) {
    piece(address, length, descriptor);
    remote(to, context, places, data);
    return (int) Downcalls.call(write, endpoint, scratch, flags);
  }

  private void remote(long peer, long context, int places, long data) {
    RawMemory.putLong(scratch + RemoteMessage.ADDR, peer);
    RawMemory.putLong(scratch + RemoteMessage.RMA_IOV, scratch + PLACES);
    RawMemory.putLong(scratch + RemoteMessage.RMA_IOV_COUNT, places);
    RawMemory.putLong(scratch + RemoteMessage.CONTEXT, context);
    RawMemory.putLong(scratch + RemoteMessage.DATA, data);
  }

  private void piece(long address, long length, long descriptor) {
    RawMemory.putLong(scratch + Message.IOV_COUNT, address == 0 ? 0 : 1);
    putPiece(0, address, length);
    RawMemory.putLong(scratch + DESCRIPTOR, descriptor);
  }

  /** Adds the second piece of a receive, behind the first one if that has bytes. */
  private void discardRest(long address) {
    int index = address == 0 ? 0 : 1;
    putPiece(index, discardSink, DiscardSink.BYTES);
    RawMemory.putLong(scratch + Message.IOV_COUNT, index + 1);
    RawMemory.putLong(scratch + DESCRIPTOR + (long) index * Long.BYTES, 0);
  }

  private void putPiece(int index, long address, long length) {
    long piece = scratch + PIECE + index * PIECE_SIZE;
    RawMemory.putLong(piece + MemoryPiece.IOV_BASE, address);
    RawMemory.putLong(piece + MemoryPiece.IOV_LEN, length);
  }

  /** {@code fi_cancel}; returns whether an operation with that context was found. */
  public boolean cancel(long context) {
    // Fabrics do not agree on the value for a context that no operation has.
    return cancel.address() != 0 && Downcalls.call(cancel, endpoint, context) >= 0;
  }

  /** Frees the scratch memory; nothing is posted any more. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
