package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.AvFlag;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.object.Lifetime;

/**
 * The address vector of every provider.
 *
 * <p>The classes around this one have one matter each: {@link OpenChecks} and {@link
 * VectorBehaviour} opening, {@link Insertions} and {@link EntryWriter} changes, {@link EntryReader}
 * lookups, {@link HandleLayout} handles. The entries are behind {@link EntryStore}.
 */
public final class CoreAddressVector implements AddressVector {
  private final Domain domain;
  private final CallRules rules;
  private final AvAttributes attributes;
  private final Lifetime lifetime;
  private final AddressCodec codec;
  private final EntryStore store;
  private final EntryWriter writer;
  private final EntryReader reader;
  private final AsynchronousInsertions asynchronous;
  private final Insertions insertions;
  private final NodeAddresses nodes;
  private final AddressTexts texts;

  private CoreAddressVector(Domain domain, VectorParts parts) {
    FabricInfo info = domain.info();
    VectorBehaviour behaviour = parts.behaviour();
    HandleLayout layout = parts.layout();
    this.domain = domain;
    this.attributes = parts.attributes();
    this.rules = new CallRules(attributes, info, behaviour);
    this.store = parts.store();
    this.lifetime = new Lifetime(this, this::release);
    this.codec = AddressCodec.of(info.addressFormat());
    this.writer = new EntryWriter(store, layout, codec, lifetime, parts.events());
    this.reader =
        new EntryReader(
            store, layout, codec, lifetime, (attributes.flags() & AvFlag.USER_ID.mask()) != 0);
    this.asynchronous =
        new AsynchronousInsertions(
            this, lifetime, writer, attributes.duplicates() != DuplicatePolicy.NEW_INDEX);
    this.insertions =
        new Insertions(
            new InsertionRules(attributes, info, behaviour), codec, writer, asynchronous, lifetime);
    this.nodes =
        new NodeAddresses(
            codec,
            new NameResolution(
                attributes.resolver(), info.addressFormat(), attributes.resolutionTimeout()),
            behaviour.textAddresses(),
            info.endpoint().type(),
            ServiceNames::ofSystem);
    this.texts = new AddressTexts(info.addressFormat());
  }

  /**
   * {@code fi_av_open}.
   *
   * @param domain the domain that the vector belongs to
   * @param domainLifetime keeps the domain open as long as the vector is
   * @param attributes how the vector is to behave
   * @return a new vector
   * @throws FabricException if the attributes are wrong or do not fit the domain
   */
  public static CoreAddressVector open(
      Domain domain, Lifetime domainLifetime, AvAttributes attributes) {
    return open(domain, domainLifetime, attributes, MemorySource::system, EntryStore::open);
  }

  /** As {@link #open(Domain, Lifetime, AvAttributes)}, with memory and a store from elsewhere. */
  static CoreAddressVector open(
      Domain domain,
      Lifetime domainLifetime,
      AvAttributes attributes,
      Supplier<MemorySource> memory,
      BiFunction<StoreOptions, MemorySource, EntryStore> stores) {
    domainLifetime.checkOpen();
    VectorParts parts = VectorParts.of(domain.info(), attributes, memory, stores);
    try {
      CoreAddressVector vector = new CoreAddressVector(domain, parts);
      vector.lifetime.hold(domainLifetime);
      return vector;
    } catch (FabricException closed) {
      parts.store().close();
      throw closed;
    }
  }

  /** What closing does: first the insertions under way, which still need the entries. */
  private void release() {
    asynchronous.abort();
    writer.close();
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
    return reader.socketAddress(handle, target);
  }

  // Two halves of findSource, apart. Not for providers: between them the entry may die.

  /** The handle of a packed socket address, or {@link org.ofi4j.Handles#NOT_AVAILABLE}. */
  long findSocketAddress(MemorySegment socketAddress) {
    return reader.findSocketAddress(socketAddress);
  }

  /** The user id of a handle if it has one, else what stands in for it (AV-096). */
  long reported(long handle) {
    return reader.reported(handle);
  }

  /**
   * What a completion reports for a message: the user id of its sender, else the handle (AV-096),
   * decided for one life of the entry (decision 12). A peer whose index is used again meanwhile is
   * never reported as the new one. For receives: takes no lock, allocates nothing.
   *
   * @param socketAddress 16 or 28 bytes, the message's sender
   * @param into takes what is reported; {@link org.ofi4j.Handles#NOT_AVAILABLE} both for senders
   *     that are unknown and for those that have no user id yet where nothing else is reported
   * @return whether the sender is in the vector
   */
  public boolean findSource(MemorySegment socketAddress, MessageSource into) {
    return reader.findSource(socketAddress, into);
  }

  /**
   * Which life the entry of a handle has. A receive that is directed at an entry remembers it, and
   * knows by it when the entry has gone, even if another one has taken its index. Takes no lock,
   * allocates nothing.
   *
   * @param handle the handle that a transfer names
   * @return {@code generation << 32 | index}, the same as long as the entry lives; -1 when the
   *     handle names no entry
   */
  public long life(long handle) {
    return reader.life(handle);
  }

  /**
   * Whether the peer of a handle was inserted as behind a firewall: no connection may be opened to
   * it (AV-222).
   *
   * @param handle the handle of an entry
   * @return true if it is marked so
   */
  public boolean isFirewalled(long handle) {
    return reader.isFirewalled(handle);
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
    return codec.format();
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
    return reader.count(EntryStore::size);
  }

  @Override
  public long capacity() {
    return reader.count(EntryStore::capacity);
  }

  @Override
  public long highWaterMark() {
    return reader.count(EntryStore::highWaterMark);
  }

  @Override
  public MemoryUse memory() {
    return writer.memory();
  }

  @Override
  @Deprecated
  public void bind(EventQueue queue, long flags) {
    lifetime.checkOpen();
    asynchronous.bind(rules.checkBind(this, queue, flags));
  }

  @Override
  public long insert(FabricAddress address) {
    return insertions.one(address);
  }

  @Override
  public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
    return insertions.values(() -> insertions.listed(addresses), options);
  }

  @Override
  public int insert(
      @Nullable MemorySegment addresses,
      int count,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    return insertions.packed(addresses, count, handles, errors, flags, context);
  }

  @Override
  public long insertService(String node, @Nullable String service) {
    return insertions.one(() -> nodes.service(node, service));
  }

  @Override
  public Insertion insertService(String node, @Nullable String service, InsertOptions options) {
    return insertions.values(() -> nodes.service(node, service), options);
  }

  @Override
  public int insertService(
      String node,
      @Nullable String service,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    return insertions.memory(() -> nodes.service(node, service), handles, errors, flags, context);
  }

  @Override
  public Insertion insertSymmetric(
      String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
    return insertions.values(
        () -> nodes.symmetric(node, nodeCount, service, serviceCount), options);
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
    return insertions.memory(
        () -> nodes.symmetric(node, nodeCount, service, serviceCount),
        handles,
        errors,
        flags,
        context);
  }

  @Override
  public long insertAuthKey(byte[] key, long flags) {
    lifetime.checkOpen();
    throw rules.refusedKey(key, flags);
  }

  @Override
  public int lookupAuthKey(long handle, MemorySegment buffer) {
    lifetime.checkOpen();
    rules.checkKeyCall("lookupAuthKey");
    SegmentChecks.writable(buffer, "buffer");
    reader.checkLive(handle);
    throw new FabricException(
        Errno.ENOKEY, HandleLayout.text(handle) + " was inserted without an authorization key");
  }

  @Override
  public void remove(@Nullable MemorySegment handles, int count, long flags) {
    lifetime.checkOpen();
    MemorySegment checked = rules.checkRemove(handles, count, flags);
    if (checked != null) {
      writer.remove(checked, count);
    }
  }

  @Override
  public FabricAddress lookup(long handle) {
    return reader.lookup(handle);
  }

  @Override
  public int lookup(long handle, MemorySegment buffer) {
    return reader.lookup(handle, buffer);
  }

  @Override
  public int lookup(long handle, MemorySegment buffer, long flags, @Nullable Object consumer) {
    lifetime.checkOpen();
    CallRules.checkLookup(flags, consumer);
    return reader.lookup(handle, buffer);
  }

  @Override
  public long find(FabricAddress address) {
    if (address == null) {
      throw new FabricException(Errno.EINVAL, "address is null, but one is to be found");
    }
    return reader.find(address);
  }

  @Override
  public long find(MemorySegment address) {
    return reader.find(address);
  }

  @Override
  public long handleAt(long index) {
    return reader.handleAt(index);
  }

  @Override
  public @Nullable String refusal(MemorySegment address) {
    return reader.refusal(address, attributes.duplicates() == DuplicatePolicy.REJECT);
  }

  @Override
  public @Nullable String toText(MemorySegment address) {
    lifetime.checkOpen();
    return texts.text(address);
  }

  @Override
  public @Nullable AddressText toText(MemorySegment address, MemorySegment buffer) {
    lifetime.checkOpen();
    return texts.into(address, buffer);
  }

  @Override
  public @Nullable MemorySegment toText(MemorySegment address, MemorySegment buffer, long length) {
    lifetime.checkOpen();
    rules.checkTextByLength();
    return texts.into(address, buffer, length);
  }

  @Override
  public void setUserId(long handle, long userId, long flags) {
    lifetime.checkOpen();
    rules.checkSetUserId(handle, flags);
    writer.setUserId(handle, userId);
  }

  @Override
  public String toString() {
    String type = "address vector (" + attributes.type();
    try {
      return lifetime.isOpen() ? type + ", " + store.size() + " entries)" : type + ")";
    } catch (IllegalStateException closedMeanwhile) {
      return type + ")";
    }
  }
}
