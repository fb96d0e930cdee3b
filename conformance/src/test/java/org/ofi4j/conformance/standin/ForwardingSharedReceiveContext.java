// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import org.ofi4j.Domain;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;

/** Stands in for a shared receive context. */
public class ForwardingSharedReceiveContext extends ForwardingObject<SharedReceiveContext>
    implements SharedReceiveContext {
  /** Makes a stand-in. */
  public ForwardingSharedReceiveContext(SharedReceiveContext real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public Domain domain() {
    return (Domain) standIns().of(real().domain());
  }

  @Override
  public FabricInfo info() {
    return real().info();
  }

  @Override
  public void receive(MemorySegment buffer, long source, Object context, long flags) {
    real().receive(buffer, source, context, flags);
  }

  @Override
  public void receive(MemorySegment[] parts, long source, Object context, long flags) {
    real().receive(parts, source, context, flags);
  }

  @Override
  public void receiveTagged(
      MemorySegment buffer, long source, long tag, long ignore, Object context, long flags) {
    real().receiveTagged(buffer, source, tag, ignore, context, flags);
  }

  @Override
  public void receiveTagged(
      MemorySegment[] parts, long source, long tag, long ignore, Object context, long flags) {
    real().receiveTagged(parts, source, tag, ignore, context, flags);
  }

  @Override
  public void minMultiReceive(long bytes) {
    real().minMultiReceive(bytes);
  }

  @Override
  public boolean cancel(Object context) {
    return real().cancel(context);
  }

  @Override
  public boolean tryReceive(MemorySegment buffer, Object context) {
    receive(buffer, Handles.UNSPECIFIED, context, 0);
    return true;
  }

  @Override
  public boolean tryReceive(ReceiveRequest request) {
    return real().tryReceive(request);
  }

  @Override
  public boolean tryReceiveTagged(MemorySegment buffer, TagPattern pattern, Object context) {
    return real().tryReceiveTagged(buffer, pattern, context);
  }

  @Override
  public boolean tryReceiveTagged(TaggedReceiveRequest request) {
    return real().tryReceiveTagged(request);
  }
}
