// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import org.ofi4j.ReadRequest;
import org.ofi4j.RemoteMemory;
import org.ofi4j.RemotePlace;
import org.ofi4j.WriteRequest;

/** Hands reads and writes of remote memory on. */
interface ForwardingRemoteMemory extends RemoteMemory {
  RemoteMemory real();

  @Override
  default boolean tryRead(MemorySegment into, long source, RemotePlace place, Object context) {
    return real().tryRead(into, source, place, context);
  }

  @Override
  default boolean tryRead(ReadRequest request) {
    return real().tryRead(request);
  }

  @Override
  default boolean tryWrite(
      MemorySegment from, long destination, RemotePlace place, Object context) {
    return real().tryWrite(from, destination, place, context);
  }

  @Override
  default boolean tryWrite(WriteRequest request) {
    return real().tryWrite(request);
  }

  @Override
  default boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place) {
    return real().tryInjectWrite(from, destination, place);
  }

  @Override
  default boolean tryInjectWrite(WriteRequest request) {
    return real().tryInjectWrite(request);
  }
}
