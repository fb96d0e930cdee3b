// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.EntryVisitor;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.mapped.Snapshot;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.source.NodeAddresses;
import org.ofi4j.core.source.SegmentChecks;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.historic.HistoricVector;

/**
 * The address vector of every provider.
 *
 * <p>The classes around this one have one matter each: {@link OpenChecks} and {@link OpenedEntries}
 * opening, {@link VectorRules} refusals, {@link Insertions} and {@link EntryWriter} changes, {@link
 * EntryReader} lookups, {@link TransferPeers} and {@link VectorKeys} what endpoints ask for, {@link
 * HandleLayout} handles. The entries are behind {@link EntryStore}.
 */
public final class CoreAddressVector extends CoreObject implements AddressVector, HistoricVector {
  /** What sets are named by begins here among the numbers of keys, which never get so far. */
  private static final int SET_NUMBERS = AuthKeys.MAX;

  private final Domain domain;
  private final FabricPeers peers;
  private final VectorRules rules;
  private final VectorOptions options;
  private final AddressCodec codec;
  private final EntryStore store;
  private final AuthKeys keys;
  private final HandleLayout layout;
  private final AtomicInteger sets = new AtomicInteger();
  private final EntryWriter writer;
  private final EntryReader reader;
  private final AsynchronousInsertions asynchronous;
  private final Insertions insertions;
  private final NodeAddresses nodes;
  private final AddressTexts texts;
  private final StoreOptions storeOptions;

  /** Whether entries may be changed. */
  private final boolean writable;

  /** Whether an address that is inserted alone goes to the writer without further questions. */
  private final boolean straight;

  private CoreAddressVector(
      Domain domain, OpenedEntries opened, VectorEvents events, FabricPeers peers) {
    super(opened.rules().options().context());
    this.domain = domain;
    this.peers = peers;
    this.rules = opened.rules();
    this.options = rules.options();
    this.store = opened.store();
    this.storeOptions = opened.storeOptions();
    this.layout = opened.layout();
    FabricInfo info = domain.info();
    int mostKeys = rules.behaviour().mostKeys(info);
    this.keys =
        new AuthKeys(layout, store.keyNumbers(mostKeys), mostKeys, rules.reportsUserIdsOnly());
    this.codec = AddressCodec.of(info.addressFormat(), peers.hasTexts());
    this.writer = new EntryWriter(store, layout, codec, lifetime, events, keys, peers);
    this.reader = new EntryReader(store, layout, codec, lifetime);
    this.asynchronous =
        new AsynchronousInsertions(this, lifetime, writer, AsynchronousInsertions.VIRTUAL_THREADS);
    this.insertions = new Insertions(rules, codec, writer, asynchronous, lifetime);
    boolean takesText = rules.behaviour().textAddresses();
    this.nodes = new NodeAddresses(codec, options, takesText, info.endpoint().type());
    this.texts = new AddressTexts(info.addressFormat());
    this.writable = !rules.isReadOnly();
    this.straight = writable && !rules.asynchronous() && peers.admitsAll();
  }

  /** As the other one, in a fabric that takes whatever the address format can hold. */
  public static CoreAddressVector open(
      Domain domain, Lifetime domainLifetime, VectorOptions options) {
    return open(domain, domainLifetime, options, FabricPeers.ANY);
  }

  /**
   * {@code fi_av_open}.
   *
   * @param domainLifetime keeps the domain open as long as the vector is
   * @param peers what the fabric takes as the address of a peer
   * @throws FabricException if the options are wrong or do not fit the domain
   */
  public static CoreAddressVector open(
      Domain domain, Lifetime domainLifetime, VectorOptions options, FabricPeers peers) {
    return open(domain, domainLifetime, options, peers, MemorySource::system, EntryStore::open);
  }

  /** As the others, with memory and a store from elsewhere. */
  static CoreAddressVector open(
      Domain domain,
      Lifetime domainLifetime,
      VectorOptions options,
      FabricPeers peers,
      Supplier<MemorySource> memory,
      BiFunction<StoreOptions, MemorySource, EntryStore> stores) {
    domainLifetime.checkOpen();
    VectorRules rules = OpenChecks.rules(options, domain.info());
    VectorEvents events = new VectorEvents(rules.info().domain().name());
    OpenedEntries opened =
        OpenedEntries.open(rules, () -> new WatchedMemory(memory.get(), events), stores);
    try {
      CoreAddressVector vector = new CoreAddressVector(domain, opened, events, peers);
      vector.lifetime().hold(domainLifetime);
      return vector;
    } catch (FabricException closed) {
      opened.store().close();
      throw closed;
    } catch (OutOfMemoryError exhausted) {
      opened.store().close();
      throw OpenedEntries.exhausted(exhausted);
    }
  }

  /** What closing does: first the insertions under way, which still need the entries. */
  @Override
  protected void release() {
    writer.beginClosing();
    asynchronous.abort();
    writer.close();
    peers.close();
  }

  /** What the vector was opened with. */
  public FabricPeers fabricPeers() {
    return peers;
  }

  /** The peers as transfers see them, for an endpoint bound to this vector, which asks once. */
  public TransferPeers peers() {
    return new TransferPeers(store, layout, lifetime, codec, keys, rules.reportsUserIdsOnly());
  }

  /** The authorization keys; there are some only in domains that have them in their vectors. */
  public VectorKeys keys() {
    return new VectorKeys(this, keys, layout, writer);
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public VectorOptions options() {
    return options;
  }

  @Override
  public AddressFormat format() {
    return codec.format();
  }

  @Override
  public long size() {
    return reader.size();
  }

  @Override
  public VectorStatistics statistics() {
    return writer.statistics();
  }

  @Override
  public void save(Path path) {
    rules.checkSave(path);
    // Changes wait until the entries are copied, but not until the file is written.
    try (Snapshot snapshot = writer.snapshot(storeOptions)) {
      snapshot.write(path, rules.with(options.withMapAddress(layout.base())).traits());
    }
  }

  @Override
  @Deprecated
  public void bind(EventQueue queue, long flags) {
    lifetime.checkOpen();
    asynchronous.bind(rules.checkBind(this, queue, flags));
  }

  @Override
  public long insert(@Nullable FabricAddress address) {
    if (address == null || !straight) {
      return insertions.one(() -> insertions.single(address));
    }
    int outcome = writer.insert(address);
    if (outcome < 0) {
      throw insertions.refused(insertions.single(address), -outcome);
    }
    return layout.handle(outcome);
  }

  @Override
  public Insertion insert(
      List<? extends @Nullable FabricAddress> addresses, InsertOptions options) {
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
    return count == 1 && flags == 0 && straight && addresses != null && errors == null
        ? insertions.packed(addresses, handles)
        : insertions.packed(addresses, count, handles, errors, flags, context);
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
  public long insertAuthKey(byte[] key) {
    return insertAuthKey(key, 0);
  }

  @Override
  public long insertAuthKey(byte[] key, long flags) {
    lifetime.checkOpen();
    rules.checkInsertKey(key, flags);
    return keys().insert(key);
  }

  @Override
  public int lookupAuthKey(long handle, MemorySegment buffer) {
    lifetime.checkOpen();
    rules.checkKeyCall("lookupAuthKey");
    SegmentChecks.writable(buffer, "buffer");
    byte[] key = keys().bytes(handle, reader);
    try {
      int fitting = (int) Math.min(key.length, buffer.byteSize());
      MemorySegment.copy(key, 0, buffer, ValueLayout.JAVA_BYTE, 0, fitting);
      return key.length;
    } finally {
      Arrays.fill(key, (byte) 0);
    }
  }

  @Override
  public void remove(long handle) {
    if (!writable) {
      lifetime.checkOpen();
      rules.checkWritable("removed from");
    }
    writer.remove(handle);
  }

  @Override
  public void remove(@Nullable MemorySegment handles, int count, long flags) {
    lifetime.checkOpen();
    MemorySegment checked = rules.checkRemove(handles, count, flags);
    if (checked == null) {
      return;
    }
    if (flags == 0) {
      insertions.remove(checked, count);
    } else {
      keys().remove(checked, count);
    }
  }

  @Override
  public void replace(long handle, FabricAddress address) {
    insertions.replace(handle, address);
  }

  @Override
  public void insertAt(long handle, FabricAddress address) {
    insertions.insertAt(handle, address);
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
    VectorRules.checkLookup(flags, consumer);
    return reader.lookup(handle, buffer);
  }

  @Override
  public long find(FabricAddress address) {
    return reader.find(address);
  }

  @Override
  public long find(MemorySegment address) {
    return reader.find(address);
  }

  @Override
  public long find(FabricAddress address, long authKey) {
    lifetime.checkOpen();
    return reader.find(address, keys.present(authKey));
  }

  @Override
  public long find(MemorySegment address, long authKey) {
    lifetime.checkOpen();
    return reader.find(address, keys.present(authKey));
  }

  @Override
  public AddressVectorSet openSet(VectorSetOptions options) {
    lifetime.checkOpen();
    rules.checkSet();
    int number = SET_NUMBERS | (sets.getAndIncrement() & (SET_NUMBERS - 1));
    return CoreAddressVectorSet.open(this, store, layout, options, number);
  }

  @Override
  public long handleAt(long index) {
    return reader.handleAt(index);
  }

  @Override
  public LongStream handles() {
    return reader.handles();
  }

  @Override
  public void forEach(EntryVisitor visitor) {
    reader.forEach(required(visitor, "visitor"));
  }

  @Override
  public @Nullable String refusal(MemorySegment address) {
    return reader.refusal(address, options.duplicates() == DuplicatePolicy.REJECT);
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
  public OptionalLong userId(long handle) {
    return reader.userId(handle);
  }

  @Override
  public void setUserId(long handle, long userId, long flags) {
    lifetime.checkOpen();
    rules.checkSetUserId(handle, flags);
    if (flags == 0) {
      writer.setUserId(handle, userId);
    } else {
      keys().setUserId(handle, userId);
    }
  }

  @Override
  public String toString() {
    String type = "address vector (" + options.type();
    try {
      return lifetime.isOpen() ? type + ", " + store.size() + " entries)" : type + ")";
    } catch (IllegalStateException | FabricException closedOrCut) {
      return type + ")";
    }
  }
}
