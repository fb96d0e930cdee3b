// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Counter;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.SharedVectors;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;

/** Stands in for a domain. */
public class ForwardingDomain extends ForwardingObject<Domain> implements Domain {
  private final Wrapping wrapping;
  private final Fabric fabric;

  /** Makes a stand-in. */
  public ForwardingDomain(Domain real, StandIns standIns, Wrapping wrapping, Fabric fabric) {
    super(real, standIns);
    this.wrapping = wrapping;
    this.fabric = fabric;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return real().info();
  }

  @Override
  public SharedVectors sharedVectors() {
    return real().sharedVectors();
  }

  @Override
  public AddressVector openAddressVector(VectorOptions options) {
    AddressVector vector = real().openAddressVector(options);
    return standIns().add(vector, wrapping.vector(vector, standIns()));
  }

  @Override
  public CompletionQueue openCompletionQueue(CompletionQueueOptions options) {
    CompletionQueue queue = real().openCompletionQueue(options);
    return standIns().add(queue, wrapping.completionQueue(queue, standIns()));
  }

  /** No rule of the suite is about counters: they are the real ones. */
  @Override
  public Counter openCounter(@Nullable Object context) {
    return real().openCounter(context);
  }

  @Override
  public TransferMemory allocate(long bytes) {
    return real().allocate(bytes);
  }

  @Override
  public MemoryRegion register(MemorySegment memory, RegisterOptions options) {
    return real().register(memory, StandIns.real(options));
  }

  @Override
  public MessageEndpoint openEndpoint(FabricInfo info, EndpointOptions options) {
    MessageEndpoint endpoint = real().openEndpoint(info, StandIns.real(options));
    return standIns().add(endpoint, wrapping.endpoint(endpoint, standIns()));
  }

  @Override
  public ScalableEndpoint openScalableEndpoint(FabricInfo info, ScalableOptions options) {
    ScalableEndpoint endpoint = real().openScalableEndpoint(info, StandIns.real(options));
    return standIns().add(endpoint, wrapping.scalableEndpoint(endpoint, standIns()));
  }

  @Override
  public SharedReceiveContext openSharedReceiveContext(
      FabricInfo info, SharedReceiveOptions options) {
    SharedReceiveContext context = real().openSharedReceiveContext(info, options);
    return standIns().add(context, wrapping.sharedReceiveContext(context, standIns()));
  }
}
