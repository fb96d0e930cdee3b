// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemoteMemory;
import org.ofi4j.RemotePlace;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;
import org.ofi4j.WriteRequest;

/** The calls that send, read and write, of every endpoint that is reliable. */
interface Transmitting extends Sending, TaggedSender, RemoteMemory {
  @Override
  default boolean trySendTagged(TaggedSendRequest request) {
    return transmits().send(request, true, required(request, "request").tag());
  }

  @Override
  default boolean tryInjectTagged(TaggedSendRequest request) {
    return transmits().inject(request, true, required(request, "request").tag());
  }

  @Override
  default boolean tryRead(
      MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    return transmits().read(into, source, place, context);
  }

  @Override
  default boolean tryRead(ReadRequest request) {
    return transmits().read(request);
  }

  @Override
  default boolean tryWrite(
      MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return transmits().write(from, destination, place, context);
  }

  @Override
  default boolean tryWrite(WriteRequest request) {
    return transmits().write(request);
  }

  @Override
  default boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place) {
    return transmits().injectWrite(from, destination, place);
  }

  @Override
  default boolean tryInjectWrite(WriteRequest request) {
    return transmits().injectWrite(request);
  }
}
