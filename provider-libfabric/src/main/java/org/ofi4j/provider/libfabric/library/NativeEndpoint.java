// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.provider.libfabric.library.ObjectStructs.ConnectionFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.Endpoint;
import org.ofi4j.provider.libfabric.library.ObjectStructs.EndpointFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.MessageFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.RemoteFunctions;
import org.ofi4j.provider.libfabric.library.ObjectStructs.TaggedFunctions;

/** {@code struct fid_ep}. Its operations can be had once it is enabled. */
public final class NativeEndpoint extends ConnectingObject {
  NativeEndpoint(Libfabric library, long address) {
    super(library, "the endpoint", address);
  }

  /**
   * {@code fi_connect}; 0 or a negative errno.
   *
   * @param address packed, of the format that the endpoint has
   */
  public int connect(byte[] address, byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      long to = copy(arena, address).address();
      long parameters = copy(arena, data).address();
      return (int)
          library()
              .keepingSignals(() ->
                  Downcalls.call(
                      connecting(ConnectionFunctions.CONNECT, "connect"),
                      address(),
                      to,
                      parameters,
                      data.length));
    }
  }

  /** {@code fi_accept}; 0 or a negative errno. */
  public int accept(byte[] data) {
    try (Arena arena = Arena.ofConfined()) {
      long parameters = copy(arena, data).address();
      return (int)
          library()
              .keepingSignals(() ->
                  Downcalls.call(
                      connecting(ConnectionFunctions.ACCEPT, "accept"),
                      address(),
                      parameters,
                      data.length));
    }
  }

  /** {@code fi_shutdown}; 0 or a negative errno. */
  public int shutdown() {
    return (int) Downcalls.call(connecting(ConnectionFunctions.SHUTDOWN, "shutdown"), address(), 0);
  }

  /** {@code fi_getpeer}: the packed address of the other side. */
  public byte[] peer() {
    return name(connecting(ConnectionFunctions.GETPEER, "getpeer"), "its peer");
  }

  /** Its operations, which are final once it is enabled. */
  public Operations operations() {
    return new Operations(this);
  }

  /**
   * The operations of an endpoint. Each returns 0, or a negative errno; {@link Constants#TRY_AGAIN}
   * of them is the everyday one. Functions that the fabric does not have are those of nobody: what
   * asks for them was refused before.
   */
  public static final class Operations {
    private final long endpoint;
    private final MemorySegment cancel;
    private final MemorySegment send;
    private final MemorySegment sendMessage;
    private final MemorySegment receive;
    private final MemorySegment receiveMessage;
    private final MemorySegment sendTagged;
    private final MemorySegment receiveTagged;
    private final MemorySegment read;
    private final MemorySegment write;

    private Operations(NativeEndpoint of) {
      endpoint = of.address();
      long general = RawMemory.getLong(endpoint + Endpoint.OPS);
      cancel = function(general, EndpointFunctions.CANCEL);
      long message = RawMemory.getLong(endpoint + Endpoint.MSG);
      send = function(message, MessageFunctions.SEND);
      sendMessage = function(message, MessageFunctions.SENDMSG);
      receive = function(message, MessageFunctions.RECV);
      receiveMessage = function(message, MessageFunctions.RECVMSG);
      long tagged = RawMemory.getLong(endpoint + Endpoint.TAGGED);
      sendTagged = function(tagged, TaggedFunctions.SENDMSG);
      receiveTagged = function(tagged, TaggedFunctions.RECVMSG);
      long remote = RawMemory.getLong(endpoint + Endpoint.RMA);
      read = function(remote, RemoteFunctions.READMSG);
      write = function(remote, RemoteFunctions.WRITEMSG);
    }

    /** {@code fi_send}. */
    public int send(long buffer, long length, long descriptor, long to, long context) {
      return (int) Downcalls.call(send, endpoint, buffer, length, descriptor, to, context);
    }

    /** {@code fi_sendmsg}. */
    public int sendMessage(long message, long flags) {
      return (int) Downcalls.call(sendMessage, endpoint, message, flags);
    }

    /** {@code fi_recv}. */
    public int receive(long buffer, long length, long descriptor, long from, long context) {
      return (int) Downcalls.call(receive, endpoint, buffer, length, descriptor, from, context);
    }

    /** {@code fi_recvmsg}. */
    public int receiveMessage(long message, long flags) {
      return (int) Downcalls.call(receiveMessage, endpoint, message, flags);
    }

    /** {@code fi_tsendmsg}. */
    public int sendTagged(long message, long flags) {
      return (int) Downcalls.call(sendTagged, endpoint, message, flags);
    }

    /** {@code fi_trecvmsg}. */
    public int receiveTagged(long message, long flags) {
      return (int) Downcalls.call(receiveTagged, endpoint, message, flags);
    }

    /** {@code fi_readmsg}. */
    public int read(long message, long flags) {
      return (int) Downcalls.call(read, endpoint, message, flags);
    }

    /** {@code fi_writemsg}. */
    public int write(long message, long flags) {
      return (int) Downcalls.call(write, endpoint, message, flags);
    }

    /** {@code fi_cancel}: whether an operation with that context was found. */
    public boolean cancel(long context) {
      // Not all fabrics agree on what is returned for one that has none.
      return cancel.address() != 0 && Downcalls.call(cancel, endpoint, context) >= 0;
    }
  }
}
