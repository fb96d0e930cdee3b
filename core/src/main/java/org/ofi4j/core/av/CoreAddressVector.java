// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressText;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.UserId;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.av.AsynchronousInsertions.Request;
import org.ofi4j.core.mapped.Snapshot;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.source.GivenAddresses;
import org.ofi4j.core.source.NodeAddresses;
import org.ofi4j.core.source.PackedAddresses;
import org.ofi4j.core.source.SegmentChecks;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.historic.HistoricVector;
import org.ofi4j.spi.FabricPeers;

/**
 * The address vector of every provider.
 *
 * <p>Calls are checked here, addresses are taken from the arguments of insertions, in all their
 * forms, and changes are made. The classes around this one have one matter each: {@link
 * VectorRules} refusals, {@link OpenedEntries} opening, {@link ReadableVector} lookups, {@link
 * EntryWriter} insertions of many addresses, {@link TransferPeers} and {@link VectorKeys} what
 * endpoints ask for, {@link HandleLayout} handles. The entries are behind {@link EntryStore}.
 *
 * <p>Changes are made under a lock: that of this process, and for changes of entries also that of
 * all processes if the vector has a name. Any thread may take it. Names are resolved before a
 * thread takes the lock (AV-006), so that nothing slow happens under it.
 */
public final class CoreAddressVector extends ReadableVector implements HistoricVector {
  /** The numbers of sets begin here among those of keys, which never get so far. */
  private static final int SET_NUMBERS = VectorRules.MAX_KEYS;

  private static final long A_MOMENT = 20_000;

  /** Few enough to stay in the nearest cache with what they lead to. */
  private static final int REMOVED_TOGETHER = 256;

  private final Domain domain;
  private final FabricPeers peers;
  private final boolean tellsPeers;
  final VectorEvents events;
  private final VectorKeys keys;
  private final boolean mayHaveKeys;
  private final AtomicInteger sets = new AtomicInteger();
  private final EntryWriter writer;
  private final AsynchronousInsertions asynchronous;
  private final NodeAddresses nodes;
  private final AddressTexts texts;

  /** Whether an address that is inserted alone goes to the store without further questions. */
  private final boolean straight;

  private final ReentrantLock lock = new ReentrantLock();
  private final Held own = lock::unlock;
  private final Held all = this::end;

  /** Whether closing has begun; guarded by the lock. */
  private boolean closing;

  // Since the vector was opened here. The holder of the lock counts, and any thread reads: the
  // totals of one moment need not fit each other, and a 64-bit JVM tears no long.
  private long insertions;
  private long failedInsertions;
  private long removals;

  // Scratch of the holder of the lock.
  private final AddressKey key = new AddressKey();
  private final AddressKey replaced = new AddressKey();

  private CoreAddressVector(
      Domain domain, OpenedEntries opened, VectorEvents events, FabricPeers peers) {
    super(opened, AddressCodec.of(domain.info().addressFormat(), peers.hasTexts()));
    this.domain = domain;
    this.peers = peers;
    this.tellsPeers = peers.followsAddresses();
    this.events = events;
    this.keys = new VectorKeys(this, this::lock, this::begin);
    this.mayHaveKeys = rules.mostKeys() > 0;
    this.writer = new EntryWriter(store, keys);
    this.asynchronous =
        new AsynchronousInsertions(this, writer, AsynchronousInsertions.VIRTUAL_THREADS);
    FabricInfo info = domain.info();
    this.nodes = new NodeAddresses(codec, options(), rules.takesText(), info.endpoint().type());
    this.texts = new AddressTexts(info.addressFormat());
    this.straight = !rules.asynchronous() && peers.admitsAll();
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
    return open(domain, domainLifetime, options, peers, MemorySource::system, EntryStore::new);
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
    VectorRules rules = VectorRules.of(options, domain.info());
    VectorEvents events = new VectorEvents(rules.info().domain().name());
    try {
      OpenedEntries opened =
          OpenedEntries.open(rules, () -> new WatchedMemory(memory.get(), events), stores);
      try {
        CoreAddressVector vector = new CoreAddressVector(domain, opened, events, peers);
        vector.lifetime().hold(domainLifetime);
        return vector;
      } catch (FabricException | OutOfMemoryError refused) {
        opened.store().close();
        throw refused;
      }
    } catch (OutOfMemoryError exhausted) {
      throw OpenedEntries.exhausted("no memory for another vector", exhausted);
    }
  }

  /** Closes the vector: first the insertions under way, which still need the entries. */
  @Override
  protected void release() {
    try (Held _ = lockAnyway()) {
      closing = true;
    }
    asynchronous.abort();
    try (Held _ = lockAnyway()) {
      keys.close();
      store.close();
    }
    peers.close();
  }

  /** Returns the peers that the vector was opened with. */
  public FabricPeers fabricPeers() {
    return peers;
  }

  /** The peers as transfers see them, for an endpoint bound to this vector, which asks once. */
  public TransferPeers peers() {
    return new TransferPeers(this, keys);
  }

  /** The authorization keys; there are some only in domains that have them in their vectors. */
  public VectorKeys keys() {
    return keys;
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public VectorStatistics statistics() {
    lifetime.checkOpen();
    try {
      long entries = store.size();
      return VectorStatistics.builder()
          .entries(entries)
          .capacity(Math.max(entries, store.capacity()))
          .highWaterMark(Math.max(entries, store.highWaterMark()))
          .memory(store.memory())
          .insertions(insertions)
          .failedInsertions(failedInsertions)
          .removals(removals)
          .build();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  @Override
  public void save(Path path) {
    rules.checkSave(path);
    // Changes wait until the entries are copied, but not until the file is written.
    try (Snapshot snapshot = snapshot()) {
      snapshot.write(path, rules.with(options().withMapAddress(layout.base())).traits());
    }
  }

  private Snapshot snapshot() {
    try (Held _ = lock()) {
      return new Snapshot(store, store.options());
    }
  }

  @Override
  @Deprecated
  public void bind(EventQueue queue, long flags) {
    asynchronous.bind(rulesWhenOpen().checkBind(this, queue, flags));
  }

  @Override
  public long insert(@Nullable FabricAddress address) {
    if (address == null || !straight) {
      return insertOne(() -> single(address));
    }
    long ipv4 = takesIpv4 && address instanceof SocketAddress4 ip ? AddressKey.ipv4(ip) : -1;
    int outcome = insert(AddressKey.isUsableIpv4(ipv4) ? null : single(address), ipv4);
    if (outcome < 0) {
      throw refused(single(address), -outcome);
    }
    return layout.handle(outcome);
  }

  @Override
  public Insertion insert(
      List<? extends @Nullable FabricAddress> addresses, InsertOptions options) {
    return insertValues(() -> listed(addresses), options);
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
        ? insertOne(addresses, handles)
        : insertInto(() -> packed(addresses, count), handles, errors, flags, context);
  }

  @Override
  public long insertService(String node, @Nullable String service) {
    return insertOne(() -> nodes.service(node, service));
  }

  @Override
  public Insertion insertService(String node, @Nullable String service, InsertOptions options) {
    return insertValues(() -> nodes.service(node, service), options);
  }

  @Override
  public int insertService(
      String node,
      @Nullable String service,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    return insertInto(() -> nodes.service(node, service), handles, errors, flags, context);
  }

  @Override
  public Insertion insertSymmetric(
      String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
    return insertValues(() -> nodes.symmetric(node, nodeCount, service, serviceCount), options);
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
    return insertInto(
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
    rulesWhenOpen().checkInsertKey(key, flags);
    return keys.insert(key);
  }

  @Override
  public int lookupAuthKey(long handle, MemorySegment buffer) {
    rulesWhenOpen().checkKeyCall("lookupAuthKey");
    SegmentChecks.writable(buffer, "buffer");
    return keys.copy(handle, buffer);
  }

  @Override
  public void remove(long handle) {
    VectorEvents.Removal event = events.removal();
    int outcome;
    begin();
    try {
      int index = layout.index(handle);
      outcome = isKeyed() ? removeKeyed(index) : store.remove(index);
      removals += outcome < 0 ? 0 : 1;
    } finally {
      endTellingPeers();
    }
    if (event != null) {
      event.end(1, outcome < 0 ? 0 : 1);
    }
    if (outcome < 0) {
      throw notRemoved(handle, outcome, "element 0; 0 of 1 removed");
    }
  }

  @Override
  public void remove(@Nullable MemorySegment handles, int count, long flags) {
    MemorySegment checked = rulesWhenOpen().checkRemove(handles, count, flags);
    if (checked == null) {
      return;
    }
    try {
      if (flags != 0) {
        keys.remove(checked, count);
      } else if (count == 1) {
        remove(checked.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      } else {
        removeAll(checked, count);
      }
    } catch (IllegalStateException freed) {
      throw freed(freed, "removal");
    }
  }

  @Override
  public void replace(long handle, FabricAddress address) {
    FabricAddress given = rulesWhenOpen().checkGiven(address, "an entry is to have it");
    AddressSource source = admitted(single(given));
    int outcome;
    begin();
    try {
      int index = layout.index(handle);
      if (index < 0 || !store.load(index, replaced)) {
        throw invalid(layout.refusal(handle));
      }
      outcome = -source.read(0, key);
      int authKey = replaced.takeAuthKey();
      // The entry for any address may be given what it has, although no call can insert that.
      if (outcome == 0 || key.sameAddress(replaced)) {
        if (authKey >= 0) {
          key.putUnder(authKey);
        }
        outcome = store.replace(index, key);
      }
    } finally {
      endTellingPeers();
    }
    check(outcome, source, handle);
  }

  @Override
  public void insertAt(long handle, FabricAddress address) {
    FabricAddress given = rulesWhenOpen().checkGiven(address, "one is to be inserted");
    rules.checkInsertAt();
    AddressSource source = admitted(single(given));
    int outcome;
    try (Held _ = begin()) {
      int index = layout.index(handle);
      if (index < 0 || layout.handle(index) != handle) {
        throw invalid(layout.refusal(handle));
      }
      outcome = -source.read(0, key);
      if (outcome == 0) {
        outcome = insertAt(index);
      }
      count(outcome < 0 ? 0 : 1, 1);
    }
    check(outcome, source, handle);
  }

  @Override
  public long find(FabricAddress address, long authKey) {
    lifetime.checkOpen();
    return findUnder(keys.present(authKey), address);
  }

  @Override
  public long find(MemorySegment address, long authKey) {
    lifetime.checkOpen();
    return findUnder(keys.present(authKey), address);
  }

  @Override
  public AddressVectorSet openSet(VectorSetOptions options) {
    rulesWhenOpen().checkSet();
    int number = SET_NUMBERS | (sets.getAndIncrement() & (SET_NUMBERS - 1));
    return CoreAddressVectorSet.open(this, options, number);
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
    rulesWhenOpen().checkTextByLength();
    return texts.into(address, buffer, length);
  }

  @Override
  public void setUserId(long handle, UserId id) {
    rulesWhenOpen().checkSetUserId();
    required(id, "id");
    try (Held _ = lock()) {
      int index = layout.index(handle);
      // Checked first: an index that is reserved for an asynchronous insertion is not live.
      if (index < 0 || !store.isLive(index)) {
        throw invalid(layout.refusal(handle));
      }
      if (store.setUserId(index, id.value()) < 0) {
        throw new FabricException(Errno.ENOMEM, "no memory is left for a further user id");
      }
    }
  }

  @Override
  public void setAuthKeyUserId(long key, UserId id) {
    rulesWhenOpen().checkSetAuthKeyUserId(key);
    keys.setUserId(key, required(id, "id").value());
  }

  // Insertions. The addresses of a call are asked for once the call as a whole is known to be
  // right.

  /** Inserts one address; returns its handle. */
  private long insertOne(Supplier<AddressSource> call) {
    checkCall(0, false);
    AddressSource source = admitted(call.get());
    if (rules.asynchronous()) {
      asynchronous.start(new Request(source, null, null, null, 0, null));
      // A reserved index would be a promise: with a duplicate or a failure it is another peer's
      // soon.
      return Handles.NOT_AVAILABLE;
    }
    prepare(source);
    int outcome = insert(source, 0);
    if (outcome < 0) {
      throw refused(source, -outcome);
    }
    return layout.handle(outcome);
  }

  /** Returns the refusal of an insertion of one address. */
  private FabricException refused(AddressSource source, int errno) {
    InsertionFailure failure = source.failure(0, errno, store.shortage());
    return new FabricException(
        failure.errno(), "address \"" + failure.address() + "\": " + failure.reason());
  }

  /** Throws what an address failed with that an entry of a given handle was to have. */
  private void check(int outcome, AddressSource source, long handle) {
    if (outcome == -Errno.EALREADY.number()) {
      throw new FabricException(
          Errno.EALREADY,
          ("address \"%s\": another entry has it, and with duplicate policy %s an address has one"
                  + " entry: remove the other one first")
              .formatted(source.text(0), options().duplicates()));
    }
    if (outcome == -Errno.EBUSY.number()) {
      throw new FabricException(
          Errno.EBUSY,
          "handle 0x%x names an entry or is reserved for one: remove that entry first, or replace"
                  .formatted(handle)
              + " its address");
    }
    if (outcome < 0) {
      throw refused(source, -outcome);
    }
  }

  /** Inserts addresses, and reports on them as values. */
  private Insertion insertValues(
      Supplier<AddressSource> call, @Nullable InsertOptions insertOptions) {
    if (insertOptions == null) {
      throw invalid("options are null: pass InsertOptions.none() for none");
    }
    long[] input = insertOptions.input();
    long flags = insertOptions.flags();
    checkCall(flags, input != null);
    AddressSource source = admitted(call.get());
    int count = source.count();
    rules.checkInput(count, input, flags);
    CoreInsertion ranges = insertRanges(source, flags);
    if (ranges != null) {
      return ranges;
    }
    CoreInsertion insertion = CoreInsertion.ofEach(source, layout);
    MemorySegment taken = input == null ? null : MemorySegment.ofArray(input);
    if (rules.asynchronous()) {
      insertion.returning(rules.started(count));
      asynchronous.start(
          new Request(source, taken, null, insertion, flags, insertOptions.context()));
      return insertion;
    }
    prepare(source);
    insert(source, taken, flags, (_, outcome) -> insertion.add(outcome));
    return insertion.complete(store.shortage());
  }

  /**
   * Inserts one packed address, in a call without flags on a synchronous vector of a fabric that
   * takes all addresses.
   *
   * @return 1 if it was inserted, else 0
   */
  private int insertOne(MemorySegment address, @Nullable MemorySegment handle) {
    SegmentChecks.readable(address, "addresses");
    try {
      boolean mayBeIpv4 = takesIpv4 && address.byteSize() >= PackedIpv4.SIZE;
      long ipv4 = mayBeIpv4 ? PackedIpv4.read(address, 0) : -1;
      if (!AddressKey.isUsableIpv4(ipv4)) {
        return insertInto(() -> packed(address, 1), handle, null, 0, null);
      }
      rules.checkResults(1, null, handle, null, 0);
      SegmentChecks.apart(address, "addresses", PackedIpv4.SIZE, handle, "handles", Long.BYTES);
      int outcome = insert(null, ipv4);
      if (handle != null) {
        handle.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, layout.handleOf(outcome));
      }
      return outcome < 0 ? 0 : 1;
    } catch (IllegalStateException freed) {
      throw freed(freed, "insertion");
    }
  }

  /** Inserts addresses, and reports on them in memory. */
  private int insertInto(
      Supplier<AddressSource> call,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    checkCall(flags, handles != null);
    try {
      AddressSource given = call.get();
      int count = given.count();
      rules.checkResults(count, given.memory(), handles, errors, flags);
      AddressSource source = admitted(given);
      if (rules.asynchronous()) {
        MemorySegment input = null;
        if ((flags & VectorRules.INPUT) != 0 && handles != null) {
          MemorySegment values = handles.asSlice(0, (long) count * Long.BYTES);
          input = MemorySegment.ofArray(values.toArray(ValueLayout.JAVA_LONG_UNALIGNED));
        }
        asynchronous.start(new Request(source, input, handles, null, flags, context));
        return rules.started(count);
      }
      CoreInsertion ranges = insertRanges(source, flags);
      if (ranges != null) {
        ranges.write(handles, errors);
        return ranges.inserted();
      }
      prepare(source);
      return insert(
          source,
          handles,
          flags,
          (position, outcome) -> layout.write(outcome, position, handles, errors));
    } catch (IllegalStateException freed) {
      throw freed(freed, "insertion");
    }
  }

  private void checkCall(long flags, boolean hasInput) {
    rulesWhenOpen().checkFlags(flags, hasInput);
    if (rules.asynchronous()) {
      asynchronous.queue();
    }
  }

  /** Returns the failure of a change whose caller freed memory that it had passed. */
  private FabricException freed(IllegalStateException freed, String change) {
    return translated(
        freed,
        lifetime,
        "memory passed to the " + change + " was freed while it ran; what it had done stays");
  }

  /** Resolves names, without any lock. */
  private static void prepare(AddressSource source) {
    try {
      source.prepare();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new FabricException(
          Errno.ECANCELED, "interrupted while resolving names; nothing was inserted", interrupted);
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM,
          "no memory or no threads to resolve the names of %s addresses; nothing was inserted"
              .formatted(source.count()),
          exhausted);
    }
  }

  /** Returns the addresses of a call as the fabric takes them. */
  private AddressSource admitted(AddressSource source) {
    return peers.admitsAll() ? source : new AdmittedAddresses(codec, peers, source);
  }

  private AddressSource packed(@Nullable MemorySegment addresses, int count) {
    SegmentChecks.count(count, "count");
    // The pointer to no addresses is not checked, whatever it is.
    if (count == 0 || (addresses == null && rules.nullMeansAny())) {
      return new GivenAddresses(codec, Collections.nCopies(count, null));
    }
    MemorySegment readable = SegmentChecks.readable(addresses, "addresses");
    return rules.asynchronous()
        ? PackedAddresses.copyOf(codec, readable, count)
        : new PackedAddresses(codec, readable, count);
  }

  /** Returns the addresses of a list, which the caller may change afterwards. */
  private AddressSource listed(@Nullable List<? extends @Nullable FabricAddress> addresses) {
    if (addresses == null) {
      throw invalid("addresses is null: an empty list inserts nothing");
    }
    @Nullable FabricAddress[] taken = addresses.toArray(FabricAddress[]::new);
    for (int i = 0; i < taken.length && !rules.nullMeansAny(); i++) {
      if (taken[i] == null) {
        throw invalid("address " + i + " is null");
      }
    }
    return new GivenAddresses(codec, Arrays.asList(taken));
  }

  private AddressSource single(@Nullable FabricAddress address) {
    if (address == null && !rules.nullMeansAny()) {
      throw invalid("address is null, but one is to be inserted");
    }
    return new GivenAddresses(codec, Collections.singletonList(address));
  }

  // Changes.

  /** Counts addresses that were tried, and those of them that were inserted, under the lock. */
  void count(int inserted, int tried) {
    insertions += inserted;
    failedInsertions += tried - inserted;
  }

  /**
   * Inserts addresses one by one or many at once, and reports on each; the parameters are those of
   * {@link EntryWriter#insert}.
   *
   * @return how many were inserted
   */
  int insert(
      AddressSource source, @Nullable MemorySegment input, long flags, EntryWriter.Report report) {
    VectorEvents.Insertion event = events.insertion();
    int count = source.count();
    int inserted;
    try (Held _ = begin()) {
      try {
        writer.insert(source, input, flags, report);
        failedInsertions += count - writer.inserted();
      } finally {
        // Also if the caller freed its memory: the entries that were inserted stay.
        insertions += writer.inserted();
      }
      inserted = writer.inserted();
    }
    if (event != null) {
      event.end(false, count, inserted);
    }
    return inserted;
  }

  /** Inserts addresses as ranges; returns null if they are none, or if flags attach something. */
  @Nullable CoreInsertion insertRanges(AddressSource source, long flags) {
    boolean eachAlone = rules.asynchronous() || EntryWriter.attaches(flags);
    List<AddressRange> ranges = eachAlone ? null : source.ranges();
    if (ranges == null) {
      return null;
    }
    VectorEvents.Insertion event = events.insertion();
    RangeOutcome outcome = new RangeOutcome();
    try (Held _ = begin()) {
      for (AddressRange range : ranges) {
        int pieces = outcome.pieces();
        if (pieces > 0 && EntryWriter.endsCall(outcome.first(pieces - 1))) {
          outcome.add(range.count(), EntryWriter.NOT_TRIED);
        } else {
          store.insertRange(range, outcome);
        }
      }
      count(outcome.inserted(), outcome.count());
    }
    if (event != null) {
      event.end(false, outcome.count(), outcome.inserted());
    }
    return new CoreInsertion(source, layout, outcome).complete(store.shortage());
  }

  /**
   * Inserts one address; returns its outcome.
   *
   * @param ipv4 if there is no source, {@code address << 16 | port} of one that peers can have
   */
  private int insert(@Nullable AddressSource source, long ipv4) {
    VectorEvents.Insertion event = events.insertion();
    int outcome;
    begin();
    try {
      int errno = 0;
      if (source == null) {
        key.setIpv4(ipv4);
      } else {
        errno = source.read(0, key);
      }
      outcome = errno == 0 ? store.insert(key) : -errno;
      count(outcome < 0 ? 0 : 1, 1);
    } finally {
      end();
    }
    if (event != null) {
      event.end(false, 1, outcome < 0 ? 0 : 1);
    }
    return outcome;
  }

  /**
   * Inserts the address of the key under a given index. Reservations keep the free indices below it
   * occupied until the entry is in place; lookups do not see reservations.
   *
   * @return the index; or the negative errno: {@code -EBUSY} if the index is in use, {@code
   *     -EALREADY} if the address has an entry and duplicates get none of their own, {@code
   *     -ENOMEM}
   */
  private int insertAt(int wanted) {
    if (store.isLive(wanted)) {
      return -Errno.EBUSY.number();
    }
    if (options().duplicates() != DuplicatePolicy.NEW_INDEX && store.find(key) >= 0) {
      return -Errno.EALREADY.number();
    }
    BitSet below = new BitSet();
    int next = -1;
    try {
      next = store.reserve();
      while (next >= 0 && next < wanted) {
        below.set(next);
        next = store.reserve();
      }
      if (next == wanted) {
        return store.publish(wanted, key);
      }
      if (next > wanted) {
        store.cancel(next);
        return -Errno.EBUSY.number();
      }
      return next;
    } catch (OutOfMemoryError exhausted) {
      store.cancel(next);
      return EntryWriter.NO_MEMORY;
    } finally {
      for (int i = below.nextSetBit(0); i >= 0; i = below.nextSetBit(i + 1)) {
        store.cancel(i);
      }
    }
  }

  /**
   * Removes entries in the order given, past handles that name none (D-30).
   *
   * @throws FabricException with the first error, after all
   */
  private void removeAll(MemorySegment handles, int count) {
    VectorEvents.Removal event = events.removal();
    int removed = 0;
    int first = -1;
    long firstHandle = 0;
    int firstOutcome = 0;
    begin();
    try {
      long[] taken = new long[Math.min(REMOVED_TOGETHER, count)];
      int[] outcomes = new int[taken.length];
      for (int from = 0; from < count; from += REMOVED_TOGETHER) {
        int together = Math.min(REMOVED_TOGETHER, count - from);
        long offset = (long) from * Long.BYTES;
        MemorySegment.copy(handles, ValueLayout.JAVA_LONG_UNALIGNED, offset, taken, 0, together);
        removeTogether(taken, outcomes, together);
        for (int i = 0; i < together; i++) {
          if (outcomes[i] >= 0) {
            removed++;
          } else if (first < 0) {
            first = from + i;
            firstHandle = taken[i];
            firstOutcome = outcomes[i];
          }
        }
      }
    } finally {
      removals += removed;
      endTellingPeers();
    }
    if (event != null) {
      event.end(count, removed);
    }
    if (first >= 0) {
      throw notRemoved(
          firstHandle,
          firstOutcome,
          "element %s; %s of %s removed".formatted(first, removed, count));
    }
  }

  /** Removes few entries. */
  private void removeTogether(long[] handles, int[] outcomes, int count) {
    for (int i = 0; i < count; i++) {
      outcomes[i] = layout.index(handles[i]);
    }
    if (!isKeyed()) {
      store.remove(outcomes, count, outcomes);
      return;
    }
    for (int i = 0; i < count; i++) {
      outcomes[i] = removeKeyed(outcomes[i]);
    }
  }

  /** Returns whether entries may be under keys. */
  private boolean isKeyed() {
    return mayHaveKeys && !keys.isEmpty();
  }

  /** Removes an entry that may be under a key, whose entries are counted. */
  private int removeKeyed(int index) {
    int authKey =
        store.ipv4(index) < 0 && store.load(index, key) ? key.takeAuthKey() : KeyNumbers.NONE;
    int outcome = store.remove(index);
    if (authKey >= 0 && outcome == 0) {
      keys.countEntries(authKey, -1);
    }
    return outcome;
  }

  private FabricException notRemoved(long handle, int outcome, String progress) {
    boolean exhausted = outcome == EntryWriter.NO_MEMORY;
    String why =
        exhausted ? HandleLayout.unrecorded(handle, store.shortage()) : layout.refusal(handle);
    return new FabricException(
        exhausted ? Errno.ENOMEM : Errno.EINVAL, "%s (%s)".formatted(why, progress));
  }

  // The lock.

  /**
   * Takes the lock, without that of other processes.
   *
   * @throws FabricException if the vector has been closed, and as {@link EntryStore#late} if others
   *     have the lock for too long
   */
  Held lock() {
    if (!lock.tryLock()) {
      await();
    }
    checkOpen();
    return own;
  }

  /**
   * Waits for the lock and takes it; returns until when the caller may wait for other processes.
   */
  private long await() {
    long deadline = Waiting.deadline(store.lockTimeout());
    if (!Waiting.lock(lock, deadline)) {
      throw store.late();
    }
    return deadline;
  }

  private void checkOpen() {
    if (closing) {
      lock.unlock();
      throw lifetime.closed();
    }
  }

  /** Takes the lock of a vector that may be closing. */
  Held lockAnyway() {
    lock.lock();
    return own;
  }

  /**
   * Takes the lock for changes of entries, which is also that of all other processes if the vector
   * has a name.
   *
   * @throws FabricException if the vector has been closed, and as {@link EntryStore#begin}
   */
  Held begin() {
    return begin(false);
  }

  /**
   * As {@link #begin()}.
   *
   * @param anyway whether the vector may be closing
   */
  Held begin(boolean anyway) {
    boolean waits = !lock.tryLock();
    // A thread that waits for others of this process waits less for other processes.
    long deadline = waits ? await() : 0;
    if (!anyway) {
      checkOpen();
    }
    try {
      if (waits) {
        store.begin(deadline);
      } else {
        store.begin();
      }
      return all;
    } catch (Throwable failed) {
      lock.unlock();
      if (failed instanceof OutOfMemoryError exhausted) {
        throw OpenedEntries.exhausted(
            "no memory, or no thread, is left to change the vector", exhausted);
      }
      throw failed;
    }
  }

  /** Ends what {@link #begin} began, as closing its result does. */
  void end() {
    try {
      store.end();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a change after which handles may lead to no address or to another one, and tells the
   * fabric.
   */
  private void endTellingPeers() {
    try {
      end();
    } finally {
      if (tellsPeers) {
        peers.addressesChanged();
      }
    }
  }

  /** Returns a condition for holders of the lock of this process. */
  Condition newCondition() {
    return lock.newCondition();
  }

  /** Lets waiting threads take the lock; to be called between two holds of a long operation. */
  void giveWay() {
    if (lock.hasQueuedThreads()) {
      LockSupport.parkNanos(A_MOMENT);
    }
  }

  @Override
  public String toString() {
    String type = "address vector (" + options().type();
    try {
      return lifetime.isOpen() ? type + ", " + store.size() + " entries)" : type + ")";
    } catch (IllegalStateException | FabricException closedOrCut) {
      return type + ")";
    }
  }
}
