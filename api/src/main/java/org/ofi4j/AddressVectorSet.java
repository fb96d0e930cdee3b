// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fid_av_set}, fi_av_set(3): an ordered subset of the entries of an address vector,
 * each at most once. The operations are local; nothing is exchanged with peers.
 *
 * <p>A set consists of handles. Removing an entry from the vector leaves them as they are: whoever
 * removes an entry also removes it from the sets, or the handle means whoever gets its index next.
 * The vector cannot be closed while one of its sets is open.
 *
 * <p>Safe to call from any thread; each call is atomic. Of two sets that an operation reads and
 * changes, the one that is read is looked at once, at the beginning.
 */
public interface AddressVectorSet extends FabricObject {
  /** {@return the vector that the entries are in} */
  AddressVector vector();

  /** {@return how many members there are} */
  int size();

  /** {@return the members in their order, in a new array} */
  long[] handles();

  /**
   * Whether an entry is a member.
   *
   * @param handle any number
   * @return true if it is the handle of a member, whatever its receive context and group
   */
  boolean contains(long handle);

  /**
   * {@code fi_av_set_union}: appends the members of another set that are not here, in their order.
   *
   * @param source a set of the same vector; stays as it is
   * @throws FabricException with {@link Errno#EINVAL} if it is of another vector
   */
  void union(AddressVectorSet source);

  /**
   * {@code fi_av_set_intersect}: removes the members that another set has not. The order of the
   * others stays.
   *
   * @param source a set of the same vector; stays as it is
   * @throws FabricException with {@link Errno#EINVAL} if it is of another vector
   */
  void intersect(AddressVectorSet source);

  /**
   * {@code fi_av_set_diff}: removes the members that another set has. The order of the others
   * stays.
   *
   * @param source a set of the same vector; stays as it is
   * @throws FabricException with {@link Errno#EINVAL} if it is of another vector
   */
  void difference(AddressVectorSet source);

  /**
   * {@code fi_av_set_insert}: appends an entry.
   *
   * @param handle the handle of an entry of the vector
   * @throws FabricException with {@link Errno#EINVAL} if it names no entry, or is a member already
   */
  void insert(long handle);

  /**
   * {@code fi_av_set_remove}: removes a member. The order of the others stays.
   *
   * @param handle the handle of the member
   * @throws FabricException with {@link Errno#EINVAL} if it is no member
   */
  void remove(long handle);

  /**
   * {@code fi_av_set_addr}: what names the set as a whole in collective operations, of which there
   * are none here. Everything that takes the handle of an entry or key refuses it.
   *
   * @return a number that no entry, no key and no other open set of the vector has
   */
  long address();
}
