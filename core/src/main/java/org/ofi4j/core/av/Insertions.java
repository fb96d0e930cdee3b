// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.source.AnyAddresses;
import org.ofi4j.core.source.FailureWords;
import org.ofi4j.core.source.GivenAddresses;
import org.ofi4j.core.source.PackedAddresses;
import org.ofi4j.core.source.SegmentChecks;
import org.ofi4j.core.source.SymmetricBox;

/**
 * {@code fi_av_insert}, {@code fi_av_insertsvc} and {@code fi_av_insertsym} of one vector, each as
 * values and into memory, synchronous or not. The addresses of a call are asked for once the call
 * as a whole is known to be right. Any thread may call.
 */
record Insertions(
    VectorRules rules,
    AddressCodec codec,
    EntryWriter writer,
    AsynchronousInsertions asynchronous,
    Lifetime lifetime) {
  /** One address; its handle. */
  long one(Supplier<AddressSource> call) {
    Insertion insertion = values(call, InsertOptions.none());
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

  /** Removes entries. */
  void remove(MemorySegment handles, int count) {
    try {
      if (count == 1) {
        writer.remove(handles.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      } else {
        writer.remove(handles, count);
      }
    } catch (IllegalStateException freed) {
      throw freedMeanwhile(freed, lifetime, "removal");
    }
  }

  /** Gives an entry another address; see {@link org.ofi4j.AddressVector#replace}. */
  void replace(long handle, @Nullable FabricAddress given) {
    lifetime.checkOpen();
    FabricAddress address = rules.checkReplace(given);
    AddressSource source = writer.admitted(single(address));
    int errno = -writer.replace(handle, source);
    if (errno == Errno.EALREADY.number()) {
      throw isAnothers(source);
    }
    if (errno != 0) {
      throw refused(source, errno);
    }
  }

  private FabricException isAnothers(AddressSource source) {
    return new FabricException(
        Errno.EALREADY,
        ("address \"%s\": another entry has it, and with duplicate policy %s an address has one"
                + " entry: remove the other one first")
            .formatted(source.text(0), rules.options().duplicates()));
  }

  /** Inserts an address under a free handle; see {@link org.ofi4j.AddressVector#insertAt}. */
  void insertAt(long handle, @Nullable FabricAddress given) {
    lifetime.checkOpen();
    FabricAddress address = rules.checkInsertAt(given);
    AddressSource source = writer.admitted(single(address));
    boolean sharesEntries = rules.options().duplicates() != DuplicatePolicy.NEW_INDEX;
    int errno = -writer.insertAt(handle, source, sharesEntries);
    if (errno == Errno.EALREADY.number()) {
      throw isAnothers(source);
    }
    if (errno == Errno.EBUSY.number()) {
      throw new FabricException(
          Errno.EBUSY,
          "handle 0x%x names an entry or is reserved for one: remove that entry first, or replace"
                  .formatted(handle)
              + " its address");
    }
    if (errno > 0) {
      throw refused(source, errno);
    }
  }

  FabricException refused(AddressSource source, int errno) {
    return refused(FailureWords.of(source, 0, errno, writer.shortage()));
  }

  private static FabricException refused(InsertionFailure failure) {
    return new FabricException(
        failure.errno(), "address \"" + failure.address() + "\": " + failure.reason());
  }

  /** Any number of addresses, reported as values. */
  Insertion values(Supplier<AddressSource> call, @Nullable InsertOptions options) {
    if (options == null) {
      throw invalid("options are null: pass InsertOptions.none() for none");
    }
    long[] input = options.input();
    begin(options.flags(), input != null);
    AddressSource source = writer.admitted(call.get());
    int count = source.count();
    rules.checkInput(count, input, options.flags());
    SymmetricBox box = box(source, options.flags());
    if (box != null) {
      return writer.insert(source, box);
    }
    ArrayInsertion insertion = new ArrayInsertion(source);
    if (rules.asynchronous()) {
      MemorySegment taken = input == null ? null : MemorySegment.ofArray(input);
      insertion.returning(rules.started(count));
      asynchronous.start(
          new AsynchronousRequest(
              source,
              taken,
              insertion.handleMemory(),
              insertion,
              options.flags(),
              options.context()));
      return insertion;
    }
    prepare(source);
    MemorySegment handles = insertion.handleMemory();
    if (input != null) {
      MemorySegment.copy(input, 0, handles, ValueLayout.JAVA_LONG, 0, count);
    }
    int inserted = writer.insert(source, handles, insertion.errorMemory(), options.flags());
    insertion.returning(inserted).complete(inserted, writer.shortage());
    return insertion;
  }

  /**
   * One packed address, in a call without flags on a synchronous vector of a fabric that takes all
   * addresses.
   *
   * @return 1 if it was inserted, else 0
   */
  int packed(MemorySegment address, @Nullable MemorySegment handle) {
    lifetime.checkOpen();
    SegmentChecks.readable(address, "addresses");
    rules.checkResults(1, handle, null, 0);
    try {
      boolean mayBeIpv4 = codec.takesIpv4() && address.byteSize() >= PackedIpv4.SIZE;
      long ipv4 = mayBeIpv4 ? PackedIpv4.read(address, 0) : -1;
      if (!PackedIpv4.isUsable(ipv4)) {
        return writer.insertPacked(address, 1, handle, null, 0);
      }
      SegmentChecks.apart(address, "addresses", PackedIpv4.SIZE, handle, "handles", Long.BYTES);
      int outcome = writer.insert(ipv4);
      writer.report(0, outcome, handle, null);
      return outcome < 0 ? 0 : 1;
    } catch (IllegalStateException freed) {
      throw freedMeanwhile(freed, lifetime, "insertion");
    }
  }

  /** Packed addresses, reported in memory. */
  int packed(
      @Nullable MemorySegment addresses,
      int count,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    begin(flags, handles != null);
    SegmentChecks.count(count, "count");
    // Of no addresses nobody looks at the pointer, whatever it is.
    if (count == 0 || (addresses == null && rules.nullMeansAny())) {
      return memory(() -> new AnyAddresses(codec, count), handles, errors, flags, context);
    }
    MemorySegment readable = SegmentChecks.readable(addresses, "addresses");
    if (rules.asynchronous()) {
      return memory(
          () -> PackedAddresses.copyOf(codec, readable, count), handles, errors, flags, context);
    }
    rules.checkResults(count, handles, errors, flags);
    try {
      return writer.insertPacked(readable, count, handles, errors, flags);
    } catch (IllegalStateException freed) {
      throw freedMeanwhile(freed, lifetime, "insertion");
    }
  }

  /** Any addresses, reported in memory. */
  int memory(
      Supplier<AddressSource> call,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context) {
    begin(flags, handles != null);
    AddressSource source = writer.admitted(call.get());
    int count = source.count();
    rules.checkResults(count, handles, errors, flags);
    if (rules.asynchronous()) {
      MemorySegment input =
          VectorRules.hasInput(flags) && handles != null
              ? MemorySegment.ofArray(
                  handles
                      .asSlice(0, (long) count * Long.BYTES)
                      .toArray(ValueLayout.JAVA_LONG_UNALIGNED))
              : null;
      asynchronous.start(new AsynchronousRequest(source, input, handles, null, flags, context));
      return rules.started(count);
    }
    SymmetricBox box = box(source, flags);
    try {
      if (box != null) {
        SymmetricInsertion insertion = writer.insert(source, box);
        insertion.write(handles, errors);
        return insertion.inserted();
      }
      prepare(source);
      return writer.insert(source, handles, errors, flags);
    } catch (IllegalStateException freed) {
      throw freedMeanwhile(freed, lifetime, "insertion");
    }
  }

  private @Nullable SymmetricBox box(AddressSource source, long flags) {
    return rules.asynchronous() || Attachments.in(flags) ? null : source.box();
  }

  private void begin(long flags, boolean hasInput) {
    lifetime.checkOpen();
    rules.checkFlags(flags, hasInput);
    if (rules.asynchronous()) {
      asynchronous.queue();
    }
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
          "no memory or no threads to resolve the names of "
              + source.count()
              + " addresses; nothing was inserted",
          exhausted);
    }
  }

  /** What a change says whose caller freed memory that it passed. */
  static FabricException freedMeanwhile(
      IllegalStateException freed, Lifetime lifetime, String change) {
    return EntryAccess.translated(
        freed,
        lifetime,
        "memory passed to the " + change + " was freed while it ran; what it had done stays");
  }

  /** The addresses of a list, which the caller may change afterwards. */
  AddressSource listed(@Nullable List<? extends @Nullable FabricAddress> addresses) {
    if (addresses == null) {
      throw invalid("addresses is null: an empty list inserts nothing");
    }
    @Nullable FabricAddress[] taken = addresses.toArray(FabricAddress[]::new);
    for (int i = 0; i < taken.length && !rules.nullMeansAny(); i++) {
      if (taken[i] == null) {
        throw invalid("address " + i + " is null");
      }
    }
    return new GivenAddresses(codec, taken);
  }

  AddressSource single(@Nullable FabricAddress address) {
    if (address == null && !rules.nullMeansAny()) {
      throw invalid("address is null, but one is to be inserted");
    }
    return new GivenAddresses(codec, new @Nullable FabricAddress[] {address});
  }
}
