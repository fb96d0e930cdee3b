// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Domain;
import org.ofi4j.EntryVisitor;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.UserId;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.historic.HistoricVector;

/** Stands in for a vector. */
@SuppressWarnings("deprecation")
public class ForwardingAddressVector extends ForwardingObject<AddressVector>
    implements AddressVector, HistoricVector {
  /** Makes a stand-in. */
  public ForwardingAddressVector(AddressVector real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public Domain domain() {
    return (Domain) standIns().of(real().domain());
  }

  @Override
  public VectorOptions options() {
    return real().options();
  }

  @Override
  public AddressFormat format() {
    return real().format();
  }

  @Override
  public long size() {
    return real().size();
  }

  @Override
  public VectorStatistics statistics() {
    return real().statistics();
  }

  @Override
  public void save(Path path) {
    real().save(path);
  }

  @Override
  public void bind(EventQueue queue, long flags) {
    HistoricVector.of(real()).bind(StandIns.real(queue), flags);
  }

  @Override
  public long insert(@Nullable FabricAddress address) {
    return real().insert(address);
  }

  @Override
  public Insertion insert(
      List<? extends @Nullable FabricAddress> addresses, InsertOptions options) {
    return real().insert(addresses, options);
  }

  @Override
  public int insert(
      MemorySegment addresses,
      int count,
      MemorySegment handles,
      MemorySegment errors,
      long flags,
      Object context) {
    return real().insert(addresses, count, handles, errors, flags, context);
  }

  @Override
  public long insertService(String node, String service) {
    return real().insertService(node, service);
  }

  @Override
  public Insertion insertService(String node, String service, InsertOptions options) {
    return real().insertService(node, service, options);
  }

  @Override
  public int insertService(
      String node,
      String service,
      MemorySegment handles,
      MemorySegment errors,
      long flags,
      Object context) {
    return real().insertService(node, service, handles, errors, flags, context);
  }

  @Override
  public Insertion insertSymmetric(
      String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
    return real().insertSymmetric(node, nodeCount, service, serviceCount, options);
  }

  @Override
  public int insertSymmetric(
      String node,
      int nodeCount,
      String service,
      int serviceCount,
      MemorySegment handles,
      MemorySegment errors,
      long flags,
      Object context) {
    return real()
        .insertSymmetric(node, nodeCount, service, serviceCount, handles, errors, flags, context);
  }

  @Override
  public long insertAuthKey(byte[] key) {
    return insertAuthKey(key, 0);
  }

  @Override
  public long insertAuthKey(byte[] key, long flags) {
    return HistoricVector.of(real()).insertAuthKey(key, flags);
  }

  @Override
  public int lookupAuthKey(long handle, MemorySegment buffer) {
    return real().lookupAuthKey(handle, buffer);
  }

  @Override
  public void remove(MemorySegment handles, int count, long flags) {
    real().remove(handles, count, flags);
  }

  @Override
  public void replace(long handle, FabricAddress address) {
    real().replace(handle, address);
  }

  @Override
  public void insertAt(long handle, FabricAddress address) {
    real().insertAt(handle, address);
  }

  @Override
  public FabricAddress lookup(long handle) {
    return real().lookup(handle);
  }

  @Override
  public int lookup(long handle, MemorySegment buffer) {
    return real().lookup(handle, buffer);
  }

  @Override
  public int lookup(long handle, MemorySegment buffer, long flags, Object consumer) {
    return real().lookup(handle, buffer, flags, consumer);
  }

  @Override
  public long find(FabricAddress address) {
    return real().find(address);
  }

  @Override
  public long find(MemorySegment address) {
    return real().find(address);
  }

  @Override
  public long find(FabricAddress address, long authKey) {
    return real().find(address, authKey);
  }

  @Override
  public long find(MemorySegment address, long authKey) {
    return real().find(address, authKey);
  }

  @Override
  public AddressVectorSet openSet(VectorSetOptions options) {
    return real().openSet(options);
  }

  @Override
  public long handleAt(long index) {
    return real().handleAt(index);
  }

  @Override
  public LongStream handles() {
    return real().handles();
  }

  @Override
  public void forEach(EntryVisitor visitor) {
    real().forEach(visitor);
  }

  @Override
  public String refusal(MemorySegment address) {
    return real().refusal(address);
  }

  @Override
  public String toText(MemorySegment address) {
    return real().toText(address);
  }

  @Override
  public AddressText toText(MemorySegment address, MemorySegment buffer) {
    return real().toText(address, buffer);
  }

  @Override
  public MemorySegment toText(MemorySegment address, MemorySegment buffer, long length) {
    return HistoricVector.of(real()).toText(address, buffer, length);
  }

  @Override
  public OptionalLong userId(long handle) {
    return real().userId(handle);
  }

  @Override
  public void setUserId(long handle, UserId id) {
    real().setUserId(handle, id);
  }

  @Override
  public void setAuthKeyUserId(long key, UserId id) {
    real().setAuthKeyUserId(key, id);
  }
}
