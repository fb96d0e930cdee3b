// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.List;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.TransferCalls;
import org.ofi4j.provider.libfabric.progress.NativeProgress;

/**
 * The resources of an endpoint that both of its directions use, and whether it is open. The lock of
 * the domain guards all.
 */
final class OpenEndpoint {
  final DomainResources domain;
  final Destinations peers;
  final TransferCalls calls;
  final OperationMemory memory;
  private final FabricObject object;
  private final List<NativeProgress> engines;
  private long posted;
  private boolean closed;

  /**
   * An endpoint that libfabric has enabled.
   *
   * @param object the endpoint of the application
   * @param engines have its queues read
   */
  OpenEndpoint(
      DomainResources domain,
      FabricObject object,
      NativeEndpoint endpoint,
      Destinations peers,
      List<NativeProgress> engines) {
    this.domain = domain;
    this.object = object;
    this.peers = peers;
    this.engines = engines;
    calls = new TransferCalls(endpoint, domain.discardSink());
    memory = new OperationMemory(domain, endpoint);
  }

  /** Takes the lock of the domain; throws if the endpoint is closed. */
  void lock() {
    domain.lock();
    if (closed) {
      domain.unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
  }

  void unlock() {
    domain.unlock();
  }

  boolean isClosed() {
    return closed;
  }

  /** Operations that end from now on are not reported. */
  void close() {
    closed = true;
  }

  /** Returns the number of the next operation in the order of posting. */
  long nextNumber() {
    return posted++;
  }

  /** Has the threads that wait for the queues read them. */
  void changed() {
    engines.forEach(NativeProgress::changed);
  }

  @Override
  public String toString() {
    return object.toString();
  }
}
