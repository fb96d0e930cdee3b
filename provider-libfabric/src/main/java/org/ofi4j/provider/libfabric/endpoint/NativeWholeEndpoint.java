// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemoteMemory;
import org.ofi4j.RemotePlace;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedReceiver;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;
import org.ofi4j.WriteRequest;

/** Endpoints over libfabric that nothing gets lost of: with tags, and memory of peers. */
abstract class NativeWholeEndpoint extends NativeMessageEndpoint
    implements TaggedSender, TaggedReceiver, RemoteMemory {
  private final NativePosts tagged = new NativePosts(this, true);
  private final NativeAccesses accesses = new NativeAccesses(this);

  NativeWholeEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  /**
   * Posts with tags, if the fabric has them: some take such calls all the same, and crash peers.
   */
  private NativePosts tagged() {
    if (!info().has(Capability.TAGGED)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no capability TAGGED: ask for it in the hints");
    }
    return tagged;
  }

  @Override
  public boolean trySendTagged(TaggedSendRequest request) {
    return tagged().send(request, required(request, "request").tag());
  }

  @Override
  public boolean tryInjectTagged(TaggedSendRequest request) {
    return tagged().inject(request, required(request, "request").tag());
  }

  @Override
  public boolean tryReceiveTagged(
      MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    required(pattern, "pattern");
    return tagged()
        .receive(buffer, null, Handles.UNSPECIFIED, pattern.tag(), pattern.ignored(), context, 0);
  }

  @Override
  public boolean tryReceiveTagged(TaggedReceiveRequest request) {
    required(request, "request");
    return tagged().receive(request, request.tag(), request.ignored());
  }

  @Override
  public boolean tryRead(
      MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    return accesses.read(required(into, "into"), source, place, context);
  }

  @Override
  public boolean tryRead(ReadRequest request) {
    return accesses.read(request);
  }

  @Override
  public boolean tryWrite(
      MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return accesses.write(required(from, "from"), destination, place, context);
  }

  @Override
  public boolean tryWrite(WriteRequest request) {
    return accesses.write(request);
  }

  @Override
  public boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place) {
    return accesses.injectWrite(required(from, "from"), destination, place);
  }

  @Override
  public boolean tryInjectWrite(WriteRequest request) {
    return accesses.injectWrite(request);
  }
}
