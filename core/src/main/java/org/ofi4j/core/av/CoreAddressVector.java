package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.object.Lifetime;

/** The address vector of every provider. */
public final class CoreAddressVector implements AddressVector {
  private final Domain domain;
  private final AvAttributes attributes;
  private final Lifetime lifetime;

  private CoreAddressVector(Domain domain, AvAttributes attributes) {
    this.domain = domain;
    this.attributes = attributes;
    this.lifetime = new Lifetime(this, () -> {});
  }

  /**
   * {@code fi_av_open}.
   *
   * @param domain the domain that the vector belongs to
   * @param domainLifetime keeps the domain open as long as the vector is
   * @param attributes how the vector is to behave
   * @return a new vector
   */
  public static CoreAddressVector open(
      Domain domain, Lifetime domainLifetime, AvAttributes attributes) {
    CoreAddressVector vector = new CoreAddressVector(domain, attributes);
    vector.lifetime.hold(domainLifetime);
    return vector;
  }

  /**
   * The vector's lifetime, which endpoints bound to it hold (AV-070).
   *
   * @return the lifetime
   */
  public Lifetime lifetime() {
    return lifetime;
  }

  /**
   * The socket address of a handle, whatever the format of the vector. For transfers: takes no
   * lock, allocates nothing.
   *
   * @param handle the handle that a transfer names
   * @param target takes 16 or 28 bytes
   * @return the length of the socket address; 0 when the handle names no entry, or carries a
   *     receive context or group that transfers of this domain cannot name
   */
  public int socketAddress(long handle, MemorySegment target) {
    throw pending();
  }

  /**
   * The handle of a packed socket address, whatever the format of the vector. For receives: takes
   * no lock, allocates nothing.
   *
   * @param socketAddress 16 or 28 bytes
   * @return the handle, or {@link org.ofi4j.Handles#NOT_AVAILABLE} if it is not in the vector
   */
  public long findSocketAddress(MemorySegment socketAddress) {
    throw pending();
  }

  /**
   * What completions report for an entry: its user id if it has one, else its handle; on a vector
   * opened for user ids nothing until one is set (AV-096).
   *
   * @param handle the handle of an entry
   * @return the user id, the handle, or {@link org.ofi4j.Handles#NOT_AVAILABLE}
   */
  public long reported(long handle) {
    throw pending();
  }

  private static FabricException pending() {
    return new FabricException(Errno.ENOSYS, "not there yet");
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public AvAttributes attributes() {
    return attributes;
  }

  @Override
  public AddressFormat format() {
    return domain.info().addressFormat();
  }

  @Override
  public @Nullable Object context() {
    return attributes.context();
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
  public long size() {
    throw pending();
  }

  @Override
  public long capacity() {
    throw pending();
  }

  @Override
  public long highWaterMark() {
    throw pending();
  }

  @Override
  public MemoryUse memory() {
    throw pending();
  }

  @Override
  @Deprecated
  public void bind(EventQueue queue, long flags) {
    throw pending();
  }

  @Override
  public long insert(FabricAddress address) {
    throw pending();
  }

  @Override
  public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
    throw pending();
  }

  @Override
  public int insert(
      @Nullable MemorySegment addresses,
      int count,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    throw pending();
  }

  @Override
  public long insertService(String node, @Nullable String service) {
    throw pending();
  }

  @Override
  public Insertion insertService(String node, @Nullable String service, InsertOptions options) {
    throw pending();
  }

  @Override
  public int insertService(
      String node,
      @Nullable String service,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    throw pending();
  }

  @Override
  public Insertion insertSymmetric(
      String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
    throw pending();
  }

  @Override
  public int insertSymmetric(
      String node,
      int nodeCount,
      String service,
      int serviceCount,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    throw pending();
  }

  @Override
  public long insertAuthKey(byte[] key, long flags) {
    throw pending();
  }

  @Override
  public int lookupAuthKey(long handle, MemorySegment buffer) {
    throw pending();
  }

  @Override
  public void remove(@Nullable MemorySegment handles, int count, long flags) {
    throw pending();
  }

  @Override
  public FabricAddress lookup(long handle) {
    throw pending();
  }

  @Override
  public int lookup(long handle, MemorySegment buffer) {
    throw pending();
  }

  @Override
  public int lookup(long handle, MemorySegment buffer, long flags, @Nullable Object consumer) {
    throw pending();
  }

  @Override
  public long find(FabricAddress address) {
    throw pending();
  }

  @Override
  public long find(MemorySegment address) {
    throw pending();
  }

  @Override
  public long handleAt(long index) {
    throw pending();
  }

  @Override
  public @Nullable String refusal(MemorySegment address) {
    throw pending();
  }

  @Override
  public @Nullable String toText(MemorySegment address) {
    throw pending();
  }

  @Override
  public @Nullable AddressText toText(MemorySegment address, MemorySegment buffer) {
    throw pending();
  }

  @Override
  public @Nullable MemorySegment toText(MemorySegment address, MemorySegment buffer, long length) {
    throw pending();
  }

  @Override
  public void setUserId(long handle, long userId, long flags) {
    throw pending();
  }

  @Override
  public String toString() {
    return "address vector (" + attributes.type() + ")";
  }
}
