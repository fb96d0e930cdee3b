// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.object.Lifetime;

/** A domain that has address vectors and nothing else. */
public final class TestDomain implements Domain {
  /**
   * How long tests wait for an event that has to come: longer than JUnit lets any test run. A
   * slower machine needs more time, and JUnit's timeout prints what each thread waits for.
   */
  public static final Duration PATIENCE = Duration.ofDays(1);

  private final TestFabric fabric;
  private final Supplier<FabricInfo> info;
  private final Lifetime lifetime = new Lifetime(this, () -> {});

  public TestDomain(TestFabric fabric, FabricInfo info) {
    this(fabric, () -> info);
  }

  /** A domain whose info is asked for whenever it is needed. */
  public TestDomain(TestFabric fabric, Supplier<FabricInfo> info) {
    this.fabric = fabric;
    this.info = info;
    lifetime.hold(fabric.lifetime());
  }

  /** A domain of a fabric of its own. */
  public static TestDomain of(TestInfo info) {
    return new TestDomain(new TestFabric(), info.build());
  }

  public Lifetime lifetime() {
    return lifetime;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info.get();
  }

  @Override
  public CoreAddressVector openAddressVector(VectorOptions options) {
    return CoreAddressVector.open(this, lifetime, options);
  }

  @Override
  public CompletionQueue openCompletionQueue(CompletionQueueOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Counter openCounter(@Nullable Object context) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MessageEndpoint openEndpoint(FabricInfo endpointInfo, EndpointOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScalableEndpoint openScalableEndpoint(FabricInfo endpointInfo, ScalableOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SharedReceiveContext openSharedReceiveContext(
      FabricInfo contextInfo, SharedReceiveOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public TransferMemory allocate(long bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MemoryRegion register(MemorySegment memory, RegisterOptions options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public @Nullable Object context() {
    return null;
  }

  @Override
  public boolean isOpen() {
    return lifetime.isOpen();
  }

  @Override
  public void close() {
    lifetime.close();
  }

  @Override
  public String toString() {
    return "test domain";
  }
}
