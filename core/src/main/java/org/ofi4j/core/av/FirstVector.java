// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.ofi4j.EndpointType;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.FirstNamedVector;
import org.ofi4j.core.share.SavedFile;

/**
 * Loads what the first vector of a JVM needs while an application asks what there is and opens
 * fabric and domain. That is some 130 classes of the engine, up to a fifth of a millisecond each,
 * and the JDK's access to memory outside of the heap: three quarters of what opening that vector
 * would take. Hardly anybody asks for endpoints that need vectors and opens none. So a thread of
 * its own does it, once, and ends; and the vector is open earlier, not only after a shorter call.
 *
 * <p>The thread that opens the vector comes upon the same classes from the other end, as this one
 * begins with those that are needed last. Where they meet, one waits for the other to be done with
 * a class, as any two threads do. They cannot wait for each other: that takes two classes each of
 * which needs the other one to be initialized, and no classes of the engine do.
 *
 * <p>Nothing depends on this thread. If it fails, as for want of memory, it ends, and who opens the
 * vector runs into the same, or does not.
 */
public final class FirstVector implements Runnable {
  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private final boolean named;

  private FirstVector(boolean named) {
    this.named = named;
  }

  /**
   * Begins, unless somebody has in this JVM, endpoints need no vector, or there is one processor
   * only.
   *
   * @param type of the endpoints that are about to be opened; unspecified if nobody knows yet
   * @param named whether vectors may have names
   */
  public static void prepare(EndpointType type, boolean named) {
    boolean needed = type == EndpointType.RDM || type == EndpointType.DGRAM;
    if (!needed
        || Runtime.getRuntime().availableProcessors() < 2
        || !BEGUN.compareAndSet(false, true)) {
      return;
    }
    try {
      Thread thread = new Thread(new FirstVector(named), "ofi4j-first-vector");
      thread.setDaemon(true);
      thread.start();
    } catch (OutOfMemoryError noThread) {
      // Then all is loaded by who opens the vector.
      return;
    }
  }

  @Override
  public void run() {
    try {
      loadMemory();
      loadVector();
      loadStore();
      loadOpening();
      if (named) {
        loadNamed();
      }
    } catch (IllegalAccessException | RuntimeException | Error failed) {
      // Who opens the vector is told, if it matters then.
      return;
    }
  }

  /** What takes longest, and is needed by all that follows. */
  private static void loadMemory() throws IllegalAccessException {
    load(SegmentAccess.class);
    try (Arena arena = Arena.ofShared()) {
      arena.allocate(Space.UNIT_BYTES, Space.UNIT_BYTES);
    }
    new CRC32C().update(0);
  }

  /** What is around the entries, the last first. */
  private static void loadVector() throws IllegalAccessException {
    load(
        Saving.class,
        AddressTexts.class,
        NodeRange.class,
        NodeAddresses.class,
        InsertionRules.class,
        Insertions.class,
        AsynchronousInsertions.class,
        EntryReader.class,
        EntryAccess.class,
        RemovalBatch.class,
        InsertionBatch.class,
        PackedAddresses.class,
        Attachments.class,
        VectorLock.class,
        AddressKey.class,
        AddressSource.class,
        EntryWriter.class,
        AddressCodec.class,
        CallRules.class,
        OwnKeyNumbers.class,
        AuthKeys.class);
  }

  /** The entries, the last first. */
  private static void loadStore() throws IllegalAccessException {
    load(
        PackedLookups.class,
        EntryLookups.class,
        Lives.class,
        SeenPartitions.class,
        Ipv4Searches.class,
        OrderedRuns.class,
        RunNodes.class,
        RunKeys.class,
        RunRecords.class,
        RunViews.class,
        SharedIntervals.class,
        Runs.class,
        RunEntries.class,
        ReverseIndex.class,
        Entries.class,
        AddressRecords.class,
        Slots.class,
        SlotPages.class,
        KeySlots.class,
        Strays.class);
    load(
        CellPlaces.class,
        GatheredNumbers.class,
        KnownPartitions.class,
        PartitionCells.class,
        Partitions.class,
        Directory.class,
        Directories.class,
        CellSearch.class,
        HashCells.class,
        SideRecordMemory.class,
        SideRecords.class,
        VacantIntervals.class,
        KnownBitmaps.class,
        VacancyBlocks.class,
        VacantBitmaps.class,
        VacantArrays.class,
        VacancyForms.class,
        VacancyDirectory.class,
        Vacancies.class,
        EntryCounts.class,
        Space.class,
        SegmentEntryStore.class,
        ProcessUserIds.class);
  }

  /** What vectors with names need beside that, the last first. */
  private static void loadNamed() throws IllegalAccessException {
    load(
        SharedKeyNumbers.class,
        NamedWriting.class,
        NamedMemory.class,
        MappedFaults.class,
        MappedSearches.class,
        PresentStore.class,
        NamedStore.class);
    FirstNamedVector.load();
  }

  /** What opening begins with, and files that vectors were saved to. */
  private static void loadOpening() throws IllegalAccessException {
    load(
        CopiedMemory.class,
        CopiedFile.class,
        SavedMemory.class,
        SavedStore.class,
        NamedVectors.class,
        SavedFile.class,
        SavedVector.class,
        ArenaMemory.class,
        WatchedMemory.class,
        HandleLayout.class,
        OpenChecks.class,
        VectorParts.class,
        CoreAddressVector.class);
  }

  private static void load(Class<?>... classes) throws IllegalAccessException {
    MethodHandles.Lookup own = MethodHandles.lookup();
    for (Class<?> each : classes) {
      own.ensureInitialized(each);
    }
  }
}
