// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Counter;
import org.ofi4j.Domain;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Endpoint;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.ReadRequest;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.SendRequest;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransportSecurity;
import org.ofi4j.WriteRequest;

/** Stands in for an endpoint. */
public class ForwardingEndpoint extends ForwardingObject<Endpoint> implements Endpoint {
  /** Makes a stand-in. */
  public ForwardingEndpoint(Endpoint real, StandIns standIns) {
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
  public void bind(AddressVector vector, long flags) {
    real().bind(StandIns.real(vector), flags);
  }

  @Override
  public void bind(CompletionQueue queue, long flags) {
    real().bind(StandIns.real(queue), flags);
  }

  @Override
  public void bind(Counter counter, long flags) {
    real().bind(counter, flags);
  }

  @Override
  public void bind(EventQueue queue) {
    real().bind(StandIns.real(queue));
  }

  @Override
  public void bind(SharedReceiveContext context) {
    real().bind(StandIns.real(context));
  }

  @Override
  public void enable() {
    real().enable();
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    real().connect(address, data);
  }

  @Override
  public void accept(byte[] data) {
    real().accept(data);
  }

  @Override
  public void shutdown() {
    real().shutdown();
  }

  @Override
  public FabricAddress peer() {
    return real().peer();
  }

  @Override
  public int connectionDataSize() {
    return real().connectionDataSize();
  }

  @Override
  public FabricAddress name() {
    return real().name();
  }

  @Override
  public void name(FabricAddress address) {
    real().name(address);
  }

  @Override
  public void connectTimeout(Duration timeout) {
    real().connectTimeout(timeout);
  }

  @Override
  public void earlyMessages(EarlyMessages bounds) {
    real().earlyMessages(bounds);
  }

  @Override
  public void peerTimeout(Duration timeout) {
    real().peerTimeout(timeout);
  }

  @Override
  public void idleTimeout(Duration timeout) {
    real().idleTimeout(timeout);
  }

  @Override
  public void secure(TransportSecurity security) {
    real().secure(security);
  }

  @Override
  public void warmUp(long... handles) {
    real().warmUp(handles);
  }

  @Override
  public void send(MemorySegment message, long data, long destination, Object context, long flags) {
    real().send(message, data, destination, context, flags);
  }

  @Override
  public void sendTagged(
      MemorySegment message, long data, long destination, long tag, Object context, long flags) {
    real().sendTagged(message, data, destination, tag, context, flags);
  }

  @Override
  public void inject(MemorySegment message, long data, long destination) {
    real().inject(message, data, destination);
  }

  @Override
  public void injectTagged(MemorySegment message, long data, long destination, long tag) {
    real().injectTagged(message, data, destination, tag);
  }

  @Override
  public void send(MemorySegment[] parts, long data, long destination, Object context, long flags) {
    real().send(parts, data, destination, context, flags);
  }

  @Override
  public void sendTagged(
      MemorySegment[] parts, long data, long destination, long tag, Object context, long flags) {
    real().sendTagged(parts, data, destination, tag, context, flags);
  }

  @Override
  public void receive(MemorySegment[] parts, long source, Object context, long flags) {
    real().receive(parts, source, context, flags);
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
  public void receiveTagged(
      MemorySegment buffer, long source, long tag, long ignore, Object context, long flags) {
    real().receiveTagged(buffer, source, tag, ignore, context, flags);
  }

  @Override
  public void receive(MemorySegment buffer, long source, Object context, long flags) {
    real().receive(buffer, source, context, flags);
  }

  @Override
  public void read(
      MemorySegment into, long source, long address, long key, Object context, long flags) {
    real().read(into, source, address, key, context, flags);
  }

  @Override
  public void read(
      MemorySegment[] parts, long source, long address, long key, Object context, long flags) {
    real().read(parts, source, address, key, context, flags);
  }

  @Override
  public void write(
      MemorySegment from,
      long data,
      long destination,
      long address,
      long key,
      Object context,
      long flags) {
    real().write(from, data, destination, address, key, context, flags);
  }

  @Override
  public void write(
      MemorySegment[] parts,
      long data,
      long destination,
      long address,
      long key,
      Object context,
      long flags) {
    real().write(parts, data, destination, address, key, context, flags);
  }

  @Override
  public void read(
      MemorySegment[] parts, long source, RemotePlace[] places, Object context, long flags) {
    real().read(parts, source, places, context, flags);
  }

  @Override
  public void write(
      MemorySegment[] parts,
      long data,
      long destination,
      RemotePlace[] places,
      Object context,
      long flags) {
    real().write(parts, data, destination, places, context, flags);
  }

  @Override
  public void injectWrite(MemorySegment from, long destination, long address, long key) {
    real().injectWrite(from, destination, address, key);
  }

  @Override
  public void injectWrite(MemorySegment from, long data, long destination, long address, long key) {
    real().injectWrite(from, data, destination, address, key);
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

  @Override
  public boolean trySend(MemorySegment message, long destination, Object context) {
    send(message, 0, destination, context, 0);
    return true;
  }

  @Override
  public boolean trySend(SendRequest request) {
    return real().trySend(request);
  }

  @Override
  public boolean tryInject(MemorySegment message, long destination) {
    return real().tryInject(message, destination);
  }

  @Override
  public boolean tryInject(SendRequest request) {
    return real().tryInject(request);
  }

  @Override
  public boolean trySendTagged(MemorySegment message, long destination, long tag, Object context) {
    sendTagged(message, 0, destination, tag, context, 0);
    return true;
  }

  @Override
  public boolean trySendTagged(TaggedSendRequest request) {
    return real().trySendTagged(request);
  }

  @Override
  public boolean tryInjectTagged(MemorySegment message, long destination, long tag) {
    return real().tryInjectTagged(message, destination, tag);
  }

  @Override
  public boolean tryInjectTagged(TaggedSendRequest request) {
    return real().tryInjectTagged(request);
  }

  @Override
  public boolean tryRead(MemorySegment into, long source, RemotePlace place, Object context) {
    return real().tryRead(into, source, place, context);
  }

  @Override
  public boolean tryRead(ReadRequest request) {
    return real().tryRead(request);
  }

  @Override
  public boolean tryWrite(MemorySegment from, long destination, RemotePlace place, Object context) {
    return real().tryWrite(from, destination, place, context);
  }

  @Override
  public boolean tryWrite(WriteRequest request) {
    return real().tryWrite(request);
  }

  @Override
  public boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place) {
    return real().tryInjectWrite(from, destination, place);
  }

  @Override
  public boolean tryInjectWrite(WriteRequest request) {
    return real().tryInjectWrite(request);
  }
}
