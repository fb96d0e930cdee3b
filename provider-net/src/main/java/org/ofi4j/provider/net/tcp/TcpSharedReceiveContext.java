// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.progress.ProgressThread;

/**
 * Receives that endpoints over TCP share: the checks of what is posted. What is posted when nobody
 * shares it any more is forgotten with it.
 */
public final class TcpSharedReceiveContext extends CoreObject implements SharedReceiveContext {
  private final EndpointDomain domain;
  private final FabricInfo info;
  private final SharedReceives receives;
  private final ReceivePosts posts;

  /** Receives of nobody yet. */
  public TcpSharedReceiveContext(EndpointDomain domain, FabricInfo info) {
    if (!info.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP,
          "information without capability RECEIVE opens no shared receive context: ask for it");
    }
    this.domain = domain;
    this.info = info;
    receives = new SharedReceives(info);
    // Where there are authorization keys, no receives are shared.
    posts = new ReceivePosts(info, false);
    lifetime.hold(domain.lifetime());
  }

  SharedReceives receives() {
    return receives;
  }

  @Override
  public EndpointDomain domain() {
    return domain;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public void receive(MemorySegment buffer, long source, @Nullable Object context, long flags) {
    post(buffer, null, source, context, flags);
  }

  @Override
  public void receive(MemorySegment[] parts, long source, @Nullable Object context, long flags) {
    PostedPieces.checkCount(parts);
    post(MemorySegment.NULL, parts, source, context, flags);
  }

  private void post(
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      long source,
      @Nullable Object context,
      long flags) {
    lifetime.checkOpen();
    posts.checkFlags(false, parts, flags);
    ReceivePosts.check(buffer, parts, mover(), context, flags);
    receives.lock();
    try {
      Receive receive = posts.take(receives, receives.context(), false, source, flags);
      ReceivePosts.set(receive, buffer, parts, flags);
      ReceivePosts.post(receives, receive, context, flags);
    } finally {
      receives.unlock();
    }
  }

  @Override
  public void receiveTagged(
      MemorySegment buffer,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    postTagged(buffer, null, source, tag, ignore, context, flags);
  }

  @Override
  public void receiveTagged(
      MemorySegment[] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    postTagged(MemorySegment.NULL, parts, source, tag, ignore, context, flags);
  }

  private void postTagged(
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    lifetime.checkOpen();
    posts.checkFlags(true, parts, flags);
    ReceivePosts.check(buffer, parts, mover(), context, flags);
    receives.lock();
    try {
      Receive receive = posts.take(receives, receives.context(), true, source, flags);
      ReceivePosts.set(receive, buffer, parts, flags);
      receive.match(tag, ignore);
      ReceivePosts.post(receives, receive, context, flags);
    } finally {
      receives.unlock();
    }
  }

  private @Nullable ProgressThread mover() {
    ProgressThread thread = domain.progressThread();
    if (thread != null) {
      thread.checkRunning();
    }
    return thread;
  }

  @Override
  public void minMultiReceive(long bytes) {
    lifetime.checkOpen();
    ReceivePosts.minMultiReceive(receives, receives.context(), bytes);
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    lifetime.checkOpen();
    return ReceivePosts.cancel(receives, receives.context(), context);
  }

  @Override
  public String toString() {
    return "shared receive context of " + domain.info().domain().name();
  }
}
