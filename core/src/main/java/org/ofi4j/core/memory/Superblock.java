// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

/**
 * The superblock of a store, in the first 1024 bytes of its {@link SlabAllocator}: the words that
 * lead to everything else. Each belongs to the class named beside it, which says what is in it; a
 * word that readers follow changes by one store.
 *
 * <pre>
 *      0  SlabAllocator      first of the next units (4) | how many there are (4)
 *      8  SlabAllocator      units in use (8)
 *     16  SlabAllocator      heads of the lists of free blocks, 4 bytes for each of 64 sizes (256)
 *    272  AddressRecords     a free record, 8 bytes for each of 16 sizes (128)
 *    400  unused, zeros (128)
 *    528  store              seed (8)
 *    536  EntryCounts        live (4) | most live (4) | with slots (4)
 *    548  FreeIndices        end of the indices in use (4)
 *    552  EntryCounts        reserved (4)
 *    556  SlabAllocator      unit of the first free extent (4)
 *    560  AddressRecords     version that records begin with (4)
 *    564  unused, zeros (8)
 *    572  KeySlots           unit of the first slot (4)
 *    576  DuplicateHeap      its IndexPages (8)
 *    584  SideWords          its IndexPages (8)
 *    592  unused, zeros (16)
 *    608  FreeIndices        root of its tree (8) | free indices (8)
 *    624  Runs               word that leads to all runs (8)
 *    632  unused, zeros (56)
 *    688  AddressRecords     bytes of the records in use (8)
 *    696  FreeIndices        summary of the root of its tree (8)
 *    704  unused, zeros (120)
 *    824  FreeIndices        units of the tree (4)
 *    828  unused, zeros (4)
 *    832  HashTable          drawn there (48)
 *    880  unused, zeros
 * </pre>
 */
public final class Superblock {
  public static final int UNITS = 16;

  public static final long NEXT_UNIT = 0;
  public static final long NEXT_UNITS = 4;
  public static final long USED_UNITS = 8;
  public static final long FREE_BLOCKS = 16;
  public static final long FREE_BLOCKS_BYTES = 256;
  public static final long RECORDS = 272;
  public static final long SEED = 528;
  public static final long COUNTS = 536;
  public static final long END = 548;
  public static final long FREE_EXTENTS = 556;
  public static final long FIRST_VERSION = 560;
  public static final long CELLS = 832;
  public static final long KEYS = 572;
  public static final long LINK_PAGES = 576;
  public static final long SIDE_PAGES = 584;
  public static final long FREE_INDICES = 608;
  public static final long FREE_INDEX_COUNT = 616;
  public static final long RUNS = 624;
  public static final long RECORD_BYTES = 688;
  public static final long FREE_INDEX_SUMMARY = 696;
  public static final long FREE_INDEX_UNITS = 824;

  private Superblock() {}
}
