// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Domain;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.MemoryRegion;
import org.ofi4j.RegisterOptions;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;
import org.ofi4j.spi.FabricPeers;
import org.ofi4j.spi.ProgressEngine;

/**
 * A domain as its provider implements it: opens endpoints, and moves their data. The kit has the
 * domain that the application calls, with its vectors, queues and counters.
 *
 * <p>Calls may come from any thread. Kinds of endpoints that are not offered need no
 * implementation.
 */
public interface DomainTransport {
  /**
   * Refuses information for an endpoint, of which the kit has checked that fabric, domain, address
   * format and endpoint type are those of the domain.
   *
   * @param endpoint the information for the endpoint
   * @throws FabricException if an endpoint cannot be opened with it
   */
  default void check(FabricInfo endpoint) {}

  /**
   * Opens an endpoint of type {@code DGRAM}, {@code RDM} or {@code MSG}.
   *
   * @param opening everything that is bound to the endpoint
   * @return the transport of the endpoint, which {@link Transport#begin} starts
   * @throws org.ofi4j.FabricException if it cannot be opened
   */
  Transport open(EndpointOpening opening);

  /**
   * Refuses a connection request because the endpoint that was to be opened for it was not; does
   * nothing if the request was answered.
   *
   * @param request the request that the information for the endpoint named
   */
  default void refuse(ConnectionHandle request) {}

  /**
   * Opens a scalable endpoint; its opening has no sends and receives.
   *
   * @param opening everything that is bound to the endpoint
   * @return the transport of the endpoint, which {@link ScalableTransport#begin} starts
   * @throws org.ofi4j.FabricException if it cannot be opened
   */
  default ScalableTransport openScalable(EndpointOpening opening) {
    throw unsupported(
        opening.domain() + " has no endpoints of several contexts: ask for provider tcp");
  }

  /**
   * Opens receives that several endpoints share.
   *
   * @param domain the domain that the application calls
   * @param info the information for the receives
   * @param minMultiReceive how many bytes must be left of a buffer for several messages; 0 for the
   *     default
   * @return the receives, to which an {@link EndpointOpening#shared} refers
   * @throws org.ofi4j.FabricException if they cannot be opened
   */
  default Receiver openSharedReceives(Domain domain, FabricInfo info, long minMultiReceive) {
    throw unsupported(domain + " has no shared receives: ask for provider tcp");
  }

  /**
   * Opens the engine that moves the data behind a completion queue or counter. The queue closes it.
   *
   * @param entries how many completions the queue holds; 0 for a counter
   * @return the engine, as {@link PolledProgress#openEngine} returns one
   * @throws org.ofi4j.FabricException if it cannot be opened
   */
  ProgressEngine openProgress(int entries);

  /**
   * Returns the thread that moves data; null if the threads that read queues do.
   *
   * @return the thread, or null
   */
  default @Nullable Thread mover() {
    return null;
  }

  /**
   * Returns the thread that reads posted messages; null if that is done in the call that posts
   * them, or by the threads that read queues.
   *
   * @return the thread, or null
   */
  default @Nullable Thread reader() {
    return mover();
  }

  /**
   * Returns how many bytes of immediate data messages carry, 0 to 8.
   *
   * @return the number of bytes
   */
  default int dataSize() {
    return Long.BYTES;
  }

  /**
   * Returns the rules of the fabric for the addresses of a vector that is about to be opened.
   *
   * @param options the options of the vector
   * @return the rules, which the vector closes
   */
  default FabricPeers peers(VectorOptions options) {
    return FabricPeers.ANY;
  }

  /**
   * A vector was opened with the rules that {@link #peers} has returned.
   *
   * @param peers its entries
   */
  default void opened(Peers peers) {}

  /**
   * Returns how many operations an endpoint may have under way in one direction, at most.
   *
   * @return the number of operations, at least 1
   */
  int maxQueueSize();

  /**
   * Registers memory for access by peers with the fabric. A transport that touches the memory
   * itself leaves that to the kit, and finds it in {@link EndpointOpening#regions}.
   *
   * @param domain the domain that the application calls
   * @param memory the memory, which is not checked yet
   * @param options the options of the region
   * @return the region, such as a {@link KitRegion}; null if the kit registers it, as by default
   * @throws org.ofi4j.FabricException if the memory cannot be registered
   */
  default @Nullable MemoryRegion register(
      Domain domain, MemorySegment memory, RegisterOptions options) {
    return null;
  }

  /**
   * Allocates memory for messages, if the fabric has to know it.
   *
   * @param domain the domain that the application calls
   * @param bytes the number of bytes, which is not checked yet
   * @return the memory; null if the kit allocates it, outside the heap, as by default
   * @throws org.ofi4j.FabricException with {@link org.ofi4j.Errno#EINVAL} if {@code bytes} is less
   *     than 1, or {@link org.ofi4j.Errno#ENOMEM} if there is no memory
   */
  default @Nullable TransferMemory allocate(Domain domain, long bytes) {
    return null;
  }

  /** Closes the domain; nothing is open on it. */
  void close();
}
