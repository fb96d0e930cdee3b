// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.mapped.Snapshot;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.source.GivenAddresses;
import org.ofi4j.core.source.NodeAddresses;
import org.ofi4j.core.source.PackedAddresses;
import org.ofi4j.core.source.SegmentChecks;
import org.ofi4j.core.source.SymmetricBox;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.historic.HistoricVector;

/**
 * The address vector of every provider.
 *
 * <p>Calls are checked here, and addresses are taken from the arguments of insertions, in all their
 * forms. The classes around this one have one matter each: {@link VectorRules} refusals, {@link
 * OpenedEntries} opening, {@link ReadableVector} lookups, {@link EntryWriter} changes, {@link
 * TransferPeers} and {@link VectorKeys} what endpoints ask for, {@link HandleLayout} handles. The
 * entries are behind {@link EntryStore}.
 */
public final class CoreAddressVector extends ReadableVector implements HistoricVector {
  /** What sets are named by begins here among the numbers of keys, which never get so far. */
  private static final int SET_NUMBERS = VectorRules.MAX_KEYS;

  private final Domain domain;
  private final FabricPeers peers;
  private final VectorKeys keys;
  private final AtomicInteger sets = new AtomicInteger();
  private final EntryWriter writer;
  private final AsynchronousInsertions asynchronous;
  private final NodeAddresses nodes;
  private final AddressTexts texts;
  private final StoreOptions storeOptions;

  /** Whether an address that is inserted alone goes to the writer without further questions. */
  private final boolean straight;

  private CoreAddressVector(
      Domain domain, OpenedEntries opened, VectorEvents events, FabricPeers peers) {
    super(opened, AddressCodec.of(domain.info().addressFormat(), peers.hasTexts()));
    this.domain = domain;
    this.peers = peers;
    this.storeOptions = opened.storeOptions();
    FabricInfo info = domain.info();
    this.writer = new EntryWriter(store, layout, codec, lifetime, events, peers, rules);
    this.keys = writer.keys();
    this.asynchronous =
        new AsynchronousInsertions(this, lifetime, writer, AsynchronousInsertions.VIRTUAL_THREADS);
    boolean takesText = rules.behaviour().textAddresses();
    this.nodes = new NodeAddresses(codec, options(), takesText, info.endpoint().type());
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
      throw OpenedEntries.exhausted("no memory for another vector", exhausted);
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
      return writer.statistics();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  @Override
  public void save(Path path) {
    rules.checkSave(path);
    // Changes wait until the entries are copied, but not until the file is written.
    try (Snapshot snapshot = writer.snapshot(storeOptions)) {
      snapshot.write(path, rules.with(options().withMapAddress(layout.base())).traits());
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
    int outcome = writer.insert(address, 0);
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
    byte[] key = keys.bytes(handle);
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
    writer.remove(handle);
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
        writer.remove(checked.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      } else {
        writer.remove(checked, count);
      }
    } catch (IllegalStateException freed) {
      throw freed(freed, "removal");
    }
  }

  @Override
  public void replace(long handle, FabricAddress address) {
    FabricAddress given = rulesWhenOpen().checkGiven(address, "an entry is to have it");
    AddressSource source = admitted(single(given));
    check(writer.replace(handle, source), source, handle);
  }

  @Override
  public void insertAt(long handle, FabricAddress address) {
    FabricAddress given = rulesWhenOpen().checkGiven(address, "one is to be inserted");
    rules.checkInsertAt();
    AddressSource source = admitted(single(given));
    boolean sharesEntries = options().duplicates() != DuplicatePolicy.NEW_INDEX;
    check(writer.insertAt(handle, source, sharesEntries), source, handle);
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
  public void setUserId(long handle, long userId, long flags) {
    rulesWhenOpen().checkSetUserId(handle, flags);
    if (flags == 0) {
      writer.setUserId(handle, userId);
    } else {
      keys.setUserId(handle, userId);
    }
  }

  // Insertions. The addresses of a call are asked for once the call as a whole is known to be
  // right.

  /** Inserts one address; returns its handle. */
  private long insertOne(Supplier<AddressSource> call) {
    Insertion insertion = insertValues(call, InsertOptions.none());
    if (rules.asynchronous()) {
      // A reserved index would be a promise: with a duplicate or a failure it is another peer's
      // soon.
      return Handles.NOT_AVAILABLE;
    }
    if (insertion.error(0) != 0) {
      throw refused(insertion.failures().getFirst());
    }
    return insertion.handle(0);
  }

  /** Returns the refusal of an insertion of one address. */
  private FabricException refused(AddressSource source, int errno) {
    return refused(source.failure(0, errno, writer.shortage()));
  }

  private static FabricException refused(InsertionFailure failure) {
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
    begin(flags, input != null);
    AddressSource source = admitted(call.get());
    int count = source.count();
    rules.checkInput(count, input, flags);
    SymmetricBox box = box(source, flags);
    if (box != null) {
      return writer.insert(source, box);
    }
    ArrayInsertion insertion = new ArrayInsertion(source);
    MemorySegment handles = insertion.handleMemory();
    MemorySegment taken = input == null ? null : MemorySegment.ofArray(input);
    if (rules.asynchronous()) {
      insertion.returning(rules.started(count));
      asynchronous.start(
          new AsynchronousRequest(
              source, taken, handles, insertion, flags, insertOptions.context()));
      return insertion;
    }
    prepare(source);
    if (taken != null) {
      handles.copyFrom(taken);
    }
    int inserted = writer.insert(source, handles, insertion.errorMemory(), flags);
    insertion.returning(inserted).complete(inserted, writer.shortage());
    return insertion;
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
      boolean mayBeIpv4 = codec.takesIpv4() && address.byteSize() >= PackedIpv4.SIZE;
      long ipv4 = mayBeIpv4 ? PackedIpv4.read(address, 0) : -1;
      if (!PackedIpv4.isUsable(ipv4)) {
        return insertInto(() -> packed(address, 1), handle, null, 0, null);
      }
      rules.checkResults(1, null, handle, null, 0);
      SegmentChecks.apart(address, "addresses", PackedIpv4.SIZE, handle, "handles", Long.BYTES);
      int outcome = writer.insert(null, ipv4);
      writer.report(0, outcome, handle, null);
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
    begin(flags, handles != null);
    try {
      AddressSource given = call.get();
      int count = given.count();
      rules.checkResults(count, given.memory(), handles, errors, flags);
      AddressSource source = admitted(given);
      if (rules.asynchronous()) {
        MemorySegment input = null;
        if (VectorRules.hasInput(flags) && handles != null) {
          MemorySegment values = handles.asSlice(0, (long) count * Long.BYTES);
          input = MemorySegment.ofArray(values.toArray(ValueLayout.JAVA_LONG_UNALIGNED));
        }
        asynchronous.start(new AsynchronousRequest(source, input, handles, null, flags, context));
        return rules.started(count);
      }
      SymmetricBox box = box(source, flags);
      if (box != null) {
        SymmetricInsertion insertion = writer.insert(source, box);
        insertion.write(handles, errors);
        return insertion.inserted();
      }
      prepare(source);
      return writer.insert(source, handles, errors, flags);
    } catch (IllegalStateException freed) {
      throw freed(freed, "insertion");
    }
  }

  private @Nullable SymmetricBox box(AddressSource source, long flags) {
    return rules.asynchronous() || Attachments.in(flags) ? null : source.box();
  }

  private void begin(long flags, boolean hasInput) {
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
