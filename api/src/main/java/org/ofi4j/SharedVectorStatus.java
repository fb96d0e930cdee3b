// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.OptionalLong;

/**
 * How a named vector is at one moment. Its processes go on meanwhile: numbers may be of moments
 * that lie a little apart.
 *
 * @param name its name
 * @param apiVersion a version whose rules for indices and handles it has; other versions with the
 *     same rules open it too
 * @param type how entries are seen
 * @param duplicates what inserting an address twice does
 * @param format the format of its addresses
 * @param receiveContextBits high bits of each handle kept free
 * @param maxGroup the largest peer group of its domain
 * @param mapAddress the base of MAP handles
 * @param count how many entries whoever made it expected
 * @param entries how many there are
 * @param mostEntries the most that there were at once
 * @param runs how many runs of consecutive addresses it keeps as formulas
 * @param memory bytes of its entries
 * @param repairs how many writers have repaired what a writer had left that died
 * @param changes how many times its lock was held and given back
 * @param writer the process that changes it now, or that died or failed while it did; empty for
 *     none
 * @param writerAtWork whether the writer lives and its change has not failed, whatever PID
 *     namespace it is in
 * @param processes the processes that have it open, except this one; each number, like that of the
 *     writer, is the one in the PID namespace of the process, so two processes may have the same
 */
public record SharedVectorStatus(
    String name,
    ApiVersion apiVersion,
    VectorType type,
    DuplicatePolicy duplicates,
    AddressFormat format,
    int receiveContextBits,
    long maxGroup,
    long mapAddress,
    long count,
    long entries,
    long mostEntries,
    long runs,
    MemoryUse memory,
    long repairs,
    long changes,
    OptionalLong writer,
    boolean writerAtWork,
    List<Long> processes) {
  /** Copies the list. */
  public SharedVectorStatus {
    processes = List.copyOf(processes);
  }
}
