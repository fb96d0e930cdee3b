// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Pieces;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.matching.ReceiveOutcomes;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/** A write of a peer to our memory, while its bytes are coming. */
public final class RemoteWrite implements Arrival {
  /** What it belongs to. */
  interface Owner {
    /** All of a write has come. */
    void written(FrameHeader header, RemoteWrite write);

    /** A write ends before all of it has come. */
    void drop(RemoteWrite write);
  }

  private final Owner owner;

  final AccessedMemory memory = new AccessedMemory();

  private final Pieces places = new Pieces();

  /** Reports it, if it carries immediate data and there is a queue for that. */
  @Nullable Receive notice;

  /** Where it is reported and counted; null if nobody wants to know. */
  @Nullable ReceiveOutcomes into;

  /** Over which it comes; null if it is not in use. */
  @Nullable Link link;

  /** Who writes; null if that is not known. */
  @Nullable Sender from;

  long payload;
  boolean acknowledged;

  /** Why it could not be brought to the file. */
  @Nullable Throwable failure;

  /** Among those that are not used, which need no memory to be given back. */
  @Nullable RemoteWrite next;

  RemoteWrite(Owner owner) {
    this.owner = owner;
  }

  Pieces places() {
    return places;
  }

  @Override
  public long wanted(long payload) {
    return payload;
  }

  @Override
  public void take(MemorySegment from, long at, long length, long offset) {
    memory.check();
    places.copyFrom(from, at, offset, length);
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long length) {
    memory.check();
    return places.rest(offset, length, TcpLimits.DIRECT_READ);
  }

  @Override
  public void checkWritable() {
    memory.check();
  }

  @Override
  public void whole(FrameHeader header) {
    owner.written(header, this);
  }

  @Override
  public void unusable(Throwable failed) throws ProtocolException {
    owner.drop(this);
    throw new ProtocolException("it was writing to memory: " + failed.getMessage());
  }

  @Override
  public void brokeOff() {
    owner.drop(this);
  }

  Link link() {
    return Objects.requireNonNull(link);
  }

  void clear() {
    memory.clear();
    places.clear();
    notice = null;
    into = null;
    link = null;
    from = null;
    failure = null;
  }
}
