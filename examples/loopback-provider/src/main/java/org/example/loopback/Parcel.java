// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import org.ofi4j.Errno;
import org.ofi4j.RemotePlace;

/**
 * A thing that one endpoint sends to another one. It holds copies of the bytes: memory may be
 * confined to a thread, and so only threads of the endpoint that it was posted to may touch it.
 */
sealed interface Parcel {
  /**
   * A message.
   *
   * @param from the sender
   * @param tag the tag, if it is tagged
   * @param data the immediate data, if there is some
   * @param waiting the send that ends when a receive has taken the message; null if it has ended
   */
  record Message(
      LoopbackEndpoint from,
      byte[] bytes,
      boolean tagged,
      long tag,
      boolean hasData,
      long data,
      Request waiting)
      implements Parcel {}

  /**
   * A read or write of memory that the receiver of the parcel has registered.
   *
   * @param from the endpoint that gets the {@link Answer}
   * @param request the read or write
   * @param places the places in the memory
   * @param bytes the bytes to write; null for a read
   * @param hasData whether the receiver gets a completion of the write, with immediate data
   */
  record Access(
      LoopbackEndpoint from,
      Request request,
      RemotePlace[] places,
      byte[] bytes,
      boolean hasData,
      long data)
      implements Parcel {}

  /**
   * The end of a send, read or write.
   *
   * @param request the operation, which waits for this
   * @param bytes the bytes that were read; otherwise none
   * @param errno {@link Errno#SUCCESS}, or the kind of error
   * @param reason the error in words
   */
  record Answer(Request request, byte[] bytes, Errno errno, String reason) implements Parcel {
    private static final byte[] NONE = {};

    static Answer success(Request request, byte[] bytes) {
      return new Answer(request, bytes, Errno.SUCCESS, "");
    }

    static Answer success(Request request) {
      return success(request, NONE);
    }

    static Answer failure(Request request, Errno errno, String reason) {
      return new Answer(request, NONE, errno, reason);
    }
  }
}
