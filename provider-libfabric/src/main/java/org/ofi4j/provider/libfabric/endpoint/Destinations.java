// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;

/** Whom the operations of an endpoint are for. The lock of the domain guards it. */
interface Destinations {
  /** Binds libfabric's endpoint to what it has to know of them. */
  void bindTo(NativeEndpoint opened);

  /**
   * The endpoint that was bound is enabled.
   *
   * @param address that of the endpoint, packed
   */
  default void enabled(byte[] address) {}

  /**
   * Closes libfabric's endpoint that was bound.
   *
   * @param address that of the endpoint, packed
   */
  default void close(NativeEndpoint bound, byte[] address) {
    bound.close();
  }

  /** The endpoint that was bound is left open in libfabric for ever, and so is what it needs. */
  default void abandon() {}

  /** An endpoint that was bound, or was to be, is closed. */
  default void left() {}

  /**
   * The peer of a handle.
   *
   * @throws FabricException if nothing can be sent there
   */
  Peer peer(long handle);

  /**
   * Directs a receive at the entry of a handle, which libfabric has to know then.
   *
   * @throws FabricException if the handle names no entry, or libfabric does not take its address
   */
  void direct(NativeOperation receive, long handle);

  /**
   * Has libfabric know a peer.
   *
   * @return false if that has to wait until the peer is there
   * @throws FabricException if libfabric does not take it, or the peer is gone
   */
  boolean reach(Peer peer);

  /**
   * Whom a message is from.
   *
   * @param handle what libfabric says
   * @param source takes what is reported
   */
  void source(long handle, MessageSource source);

  /**
   * Returns why nothing goes to or comes from the peers any more; null as long as something may.
   *
   * @param sent whether the reason is for an operation that was posted to libfabric and may have
   *     arrived
   */
  default @Nullable FabricException cutOff(boolean sent) {
    return null;
  }

  /** Returns the errno to report for one that libfabric has reported for an operation. */
  default int errno(int reported, boolean sent) {
    return reported;
  }
}
