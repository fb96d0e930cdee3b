// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.MessageSender;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemoteMemory;
import org.ofi4j.RemotePlace;
import org.ofi4j.SendRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;
import org.ofi4j.WriteRequest;

/** The half of an endpoint, or the context of a scalable one, that sends, reads and writes. */
interface TransmitHalf extends MessageSender, TaggedSender, RemoteMemory {
  /** Where its operations are posted. */
  TransmitPosts transmits();

  @Override
  default boolean trySend(MemorySegment message, long destination, @Nullable Object context) {
    return transmits().messages().post(message, null, 0, destination, 0, context, 0);
  }

  @Override
  default boolean trySend(SendRequest request) {
    return transmits().messages().post(request, 0);
  }

  @Override
  default boolean tryInject(MemorySegment message, long destination) {
    return transmits().messages().inject(message, 0, 0, destination, 0);
  }

  @Override
  default boolean tryInject(SendRequest request) {
    return transmits().messages().inject(request, 0);
  }

  @Override
  default boolean trySendTagged(TaggedSendRequest request) {
    return transmits().tagged().post(request, required(request, "request").tag());
  }

  @Override
  default boolean tryInjectTagged(TaggedSendRequest request) {
    return transmits().tagged().inject(request, required(request, "request").tag());
  }

  @Override
  default boolean tryRead(
      MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    return transmits().accesses().read(into, source, place, context);
  }

  @Override
  default boolean tryRead(ReadRequest request) {
    return transmits().accesses().read(request);
  }

  @Override
  default boolean tryWrite(
      MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return transmits().accesses().write(from, destination, place, context);
  }

  @Override
  default boolean tryWrite(WriteRequest request) {
    return transmits().accesses().write(request);
  }

  @Override
  default boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place) {
    return transmits().accesses().injectWrite(from, 0, 0, destination, place, 0);
  }

  @Override
  default boolean tryInjectWrite(WriteRequest request) {
    return transmits().accesses().injectWrite(request);
  }
}
