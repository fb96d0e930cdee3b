// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * {@code struct fid_av}, fi_av(3): turns fabric addresses of peers into 64-bit handles that every
 * send, receive and completion uses.
 *
 * <p>All calls may come from any thread. Lookups take no lock and never wait; insertions and
 * removals of one vector take turns. A lookup beside them sees an entry whole or not at all.
 *
 * <p>Addresses go in in two ways: as {@link FabricAddress} values, or packed one behind the other
 * in a {@link MemorySegment}, which allocates nothing. A packed element has the length of the
 * vector's format; in a vector of {@link AddressFormat#SOCKADDR} or {@link
 * AddressFormat#SOCKADDR_IP} the length of its own family; in one of {@link AddressFormat#STR} it
 * is text in UTF-8 that ends in a zero byte.
 *
 * <p>An address that cannot be inserted is data: its handle is {@link Handles#NOT_AVAILABLE}, its
 * errno is reported, and the others go in all the same. A call that is wrong as a whole throws
 * {@link FabricException} and changes nothing.
 *
 * <p>A vector that processes share by its {@linkplain VectorOptions#name name} can refuse each
 * change also with {@link Errno#EACCES} if it was opened with {@link VectorFlag#READ}; {@link
 * Errno#EAGAIN}, naming the process, if somebody else changes it for longer than {@link
 * VectorOptions#lockTimeout}; {@link Errno#ENOMEM} if there is no room for its files to grow; and
 * any call with {@link Errno#EIO} if its files are damaged. What a key that only other processes
 * have inserted is needed for is refused with {@link Errno#ENOKEY}.
 *
 * {@snippet class="examples.Vectors" region="entries"}
 */
public interface AddressVector extends FabricObject {
  /** The size of an authorization key in bytes. Keys should be random: they are not passwords. */
  int AUTH_KEY_SIZE = 32;

  /** {@return the domain that the vector belongs to} */
  Domain domain();

  /**
   * The options in effect: as passed, but the type is the one chosen, the duplicate policy the one
   * that the version implies, and {@code mapAddress} of a named vector the base that it has.
   *
   * @return the options
   */
  VectorOptions options();

  /**
   * {@return the format of the vector's addresses, from the information that the domain was opened
   * with}
   */
  AddressFormat format();

  /**
   * {@return how many entries there are; of a named vector as its last change left it: entries that
   * another process is inserting, or was when it died, count from the end of the insertion or the
   * next change on}
   */
  long size();

  /**
   * What the vector holds, the memory that it takes, and how often it was changed. Waits for
   * nobody; while the vector is changed, the numbers may be of different moments.
   *
   * @return the numbers of now
   */
  VectorStatistics statistics();

  /**
   * Saves the entries to a file, from which vectors are opened with {@link VectorOptions#saved}:
   * every entry with its handle, and as often as it was inserted. Of insertions that are under way
   * only what is finished is in it; user ids are not. libfabric has no such call.
   *
   * <p>The file is written beside its place and takes it when it is whole and on the disk, so that
   * whoever opens the path finds the former file or this one. Only its owner may read it. Changes
   * of the vector wait until its entries are copied, which takes as long as inserting them; lookups
   * do not. A thread that is interrupted saves all the same, and stays interrupted.
   *
   * @param path where to
   * @throws FabricException with {@link Errno#EINVAL} if the path is that of a directory, {@link
   *     Errno#EIO} if the file cannot be written, {@link Errno#ENOMEM} without memory for a copy,
   *     {@link Errno#ENOSYS} in a domain that has authorization keys in vectors, {@link
   *     Errno#EACCES} for a named vector that was opened with {@code FI_READ}, {@link Errno#EAGAIN}
   *     if another process changes a named vector for too long; then there is what was there before
   */
  void save(Path path);

  /**
   * {@code fi_av_insert} of one address. On an asynchronous vector the outcome is an event, and the
   * handle not known yet: the index reserved for the address is not its own if it turns out to be
   * in the vector already or cannot be inserted. Ask {@link #find(FabricAddress)} after the event,
   * or use {@link #insert(List, InsertOptions)}, which has the handle and a context.
   *
   * @param address the address; null as in {@link #insert(List, InsertOptions)}
   * @return its handle; {@link Handles#NOT_AVAILABLE} on an asynchronous vector
   * @throws FabricException if the address cannot be inserted; its errno is the address's, the
   *     message the reason
   */
  long insert(@Nullable FabricAddress address);

  /**
   * {@code fi_av_insert} of many addresses.
   *
   * @param addresses the addresses, as in {@link #insert(List, InsertOptions)}
   * @return handles and errors by position
   */
  default Insertion insert(List<? extends @Nullable FabricAddress> addresses) {
    return insert(addresses, InsertOptions.none());
  }

  /**
   * {@code fi_av_insert} of many addresses, with flags, user ids or a context.
   *
   * @param addresses the addresses; an empty list inserts nothing. Null among them stands for any
   *     address in profile {@link Profile#CANDIDATE_1_0}, and is refused in all others
   * @param options flags and what they need
   * @return handles and errors by position
   * @throws FabricException with {@link Errno#EBADFLAGS} for flags that the version does not know,
   *     {@link Errno#EINVAL} if the options do not fit, {@link Errno#ENOSYS} for user ids that the
   *     domain does not keep, {@link Errno#ENOEQ} if an asynchronous vector has no event queue;
   *     then nothing was inserted
   */
  Insertion insert(List<? extends @Nullable FabricAddress> addresses, InsertOptions options);

  /**
   * {@code fi_av_insert} of packed addresses. Allocates nothing.
   *
   * {@snippet class="examples.Vectors" region="packed"}
   *
   * @param addresses packed addresses; must hold {@code count} of them. Null stands for as many
   *     entries for any address in profile {@link Profile#CANDIDATE_1_0} and is refused in all
   *     others
   * @param count how many addresses, at least 0
   * @param handles takes a handle (8 bytes, native order) for each; holds user ids or authorization
   *     key handles on input if flags say so. May be null where handles are indices and no input is
   *     needed. An asynchronous insertion writes it until its completion event
   * @param errors takes an errno (4 bytes, native order) for each with {@link InsertFlag#SYNC_ERR},
   *     else null
   * @param flags bits of {@link InsertFlag}
   * @param context identifies the operation in events of an asynchronous vector
   * @return the number inserted, or 0 on an asynchronous vector (profile {@link
   *     Profile#CANDIDATE_1_0}: the number started)
   * @throws FabricException as {@link #insert(List, InsertOptions)}; {@link Errno#EINVAL} also for
   *     memory that is too short, or cannot be read or written. Then handles and errors are as they
   *     were
   */
  int insert(
      @Nullable MemorySegment addresses,
      int count,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context);

  /**
   * {@code fi_av_insertsvc}: inserts the address of a service on a node. On an asynchronous vector
   * as {@link #insert(FabricAddress)}.
   *
   * @param node a host name, a numeric address, or a whole address as text (with {@code ://})
   * @param service a port number or the name of a service; null if node is a whole address
   * @return its handle; {@link Handles#NOT_AVAILABLE} on an asynchronous vector
   * @throws FabricException if it cannot be resolved or inserted, with the reason
   */
  long insertService(String node, @Nullable String service);

  /**
   * {@code fi_av_insertsvc} with options.
   *
   * @param node a host name, a numeric address, or a whole address as text (with {@code ://})
   * @param service a port number or the name of a service; null if node is a whole address
   * @param options flags and what they need
   * @return the outcome of the one address
   * @throws FabricException as {@link #insert(List, InsertOptions)}; {@link Errno#EINVAL} also
   *     without node, without service for a node that is no whole address, and with one for a node
   *     that is
   */
  Insertion insertService(String node, @Nullable String service, InsertOptions options);

  /**
   * {@code fi_av_insertsvc} into arrays of the caller's.
   *
   * @param node a host name, a numeric address, or a whole address as text (with {@code ://})
   * @param service a port number or the name of a service; null if node is a whole address
   * @param handles as for {@link #insert(MemorySegment, int, MemorySegment, MemorySegment, long,
   *     Object)}
   * @param errors as there
   * @param flags as there
   * @param context as there
   * @return the number inserted, or 0 on an asynchronous vector
   */
  int insertService(
      String node,
      @Nullable String service,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context);

  /**
   * {@code fi_av_insertsym}: inserts consecutive services on consecutive nodes, all services of one
   * node before the next node.
   *
   * @param node the first node: a numeric address, or a name that ends in digits, whose width is
   *     kept
   * @param nodeCount how many nodes, at least 0
   * @param service the first service: a port number or the name of a service
   * @param serviceCount how many services on each node, at least 0
   * @return handles and errors by position
   */
  default Insertion insertSymmetric(String node, int nodeCount, String service, int serviceCount) {
    return insertSymmetric(node, nodeCount, service, serviceCount, InsertOptions.none());
  }

  /**
   * {@code fi_av_insertsym} with options.
   *
   * @param node the first node: a numeric address, or a name that ends in digits, whose width is
   *     kept
   * @param nodeCount how many nodes, at least 0
   * @param service the first service: a port number or the name of a service
   * @param serviceCount how many services on each node, at least 0; with the nodes 2^31 - 1
   *     addresses in all at most
   * @param options flags and what they need
   * @return handles and errors by position
   * @throws FabricException as {@link #insert(List, InsertOptions)}; {@link Errno#EINVAL} also for
   *     counts that are negative or make too many addresses, and for several nodes from a name that
   *     does not end in digits
   */
  Insertion insertSymmetric(
      String node, int nodeCount, String service, int serviceCount, InsertOptions options);

  /**
   * {@code fi_av_insertsym} into arrays of the caller's.
   *
   * @param node the first node: a numeric address, or a name that ends in digits, whose width is
   *     kept
   * @param nodeCount how many nodes, at least 0
   * @param service the first service: a port number or the name of a service
   * @param serviceCount how many services on each node, at least 0
   * @param handles as for {@link #insert(MemorySegment, int, MemorySegment, MemorySegment, long,
   *     Object)}
   * @param errors as there
   * @param flags as there
   * @param context as there
   * @return the number inserted, or 0 on an asynchronous vector
   */
  int insertSymmetric(
      String node,
      int nodeCount,
      String service,
      int serviceCount,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags,
      @Nullable Object context);

  /**
   * {@code fi_av_insert_auth_key}: adds an authorization key, for a domain that has the keys of its
   * endpoints in vectors ({@link FabricInfo.DomainAttributes#KEYS_IN_VECTOR}). Endpoints take the
   * keys when they are opened, and memory regions when they are registered; later ones do not reach
   * them.
   *
   * <p>A key that is in the vector already keeps its handle, and has to be removed as often as it
   * was inserted. The vector keeps a copy of its own; the caller may clear the array.
   *
   * <p>In a vector with a name a key has the same handle in all processes that inserted it, and can
   * be used by no other. It is told from others by something that takes some milliseconds to
   * compute, outside of all locks.
   *
   * @param key the key's bytes, {@value #AUTH_KEY_SIZE} of them
   * @return the key's handle, which is one only in calls that say {@code FI_AUTH_KEY}
   * @throws FabricException with {@link Errno#ENOSYS} below version 1.20, {@link Errno#EINVAL} if
   *     the domain was not opened for keys in the vector, or for a wrong length, {@link
   *     Errno#ENOSPC} if there are as many keys as {@link
   *     FabricInfo.DomainAttributes#maxEndpointAuthKeys} allows, in all processes that share the
   *     vector, {@link Errno#ENOMEM} without memory for it, {@link Errno#EACCES} if the vector was
   *     opened with {@link VectorFlag#READ}
   */
  long insertAuthKey(byte[] key);

  /**
   * {@code fi_av_lookup_auth_key}: the authorization key of a handle.
   *
   * @param handle handle of a key, or of an address inserted under one
   * @return the key's bytes, in an array of the caller's own
   * @throws FabricException as {@link #lookupAuthKey(long, MemorySegment)}
   */
  default byte[] lookupAuthKey(long handle) {
    byte[] key = new byte[AUTH_KEY_SIZE];
    lookupAuthKey(handle, MemorySegment.ofArray(key));
    return key;
  }

  /**
   * {@code fi_av_lookup_auth_key} into a buffer.
   *
   * @param handle handle of a key, or of an address inserted under one
   * @param buffer takes as much of the key as fits
   * @return the key's full length in bytes
   * @throws FabricException with {@link Errno#ENOSYS} below version 1.20, {@link Errno#EINVAL} for
   *     an unknown handle, {@link Errno#ENOKEY} for an entry without key, or for a key that only
   *     other processes that share the vector have inserted
   */
  int lookupAuthKey(long handle, MemorySegment buffer);

  /**
   * {@code fi_av_remove} of one entry. An address that was inserted several times under {@link
   * DuplicatePolicy#SHARE} stays, and its handle stays valid, until it was removed as often.
   *
   * @param handle the handle, invalid from now on
   * @throws FabricException with {@link Errno#EINVAL} if it names no entry
   */
  default void remove(long handle) {
    remove(new long[] {handle});
  }

  /**
   * {@code fi_av_remove} of several entries. All that name an entry are removed, whatever the
   * others do.
   *
   * @param handles the handles
   * @throws FabricException with the first error, after the whole list was worked through; see
   *     {@link #remove(MemorySegment, int, long)}
   */
  default void remove(long[] handles) {
    Arguments.required(handles, "handles");
    remove(MemorySegment.ofArray(handles), handles.length, 0);
  }

  /**
   * {@code fi_av_remove} of one authorization key, or of one of the insertions that share it.
   * Addresses under the key stay. They need the key again, by {@link #insertAuthKey}, before
   * anything is sent to them.
   *
   * @param key the key's handle
   * @throws FabricException with {@link Errno#EINVAL} if it names no key, {@link Errno#ENOKEY} if
   *     only other processes have inserted it, {@link Errno#EBUSY} if the key is in use: by an open
   *     endpoint, a memory region, or an insertion under way
   */
  default void removeAuthKey(long key) {
    remove(MemorySegment.ofArray(new long[] {key}), 1, RemoveFlag.AUTH_KEY.mask());
  }

  /**
   * {@code fi_av_remove}. All handles that name an entry are removed, whatever the others do. Does
   * not allocate when all do.
   *
   * @param handles the handles, 8 bytes each in native order: of entries, or with {@link
   *     RemoveFlag#AUTH_KEY} of authorization keys
   * @param count how many, at least 0
   * @param flags bits of {@link RemoveFlag}
   * @throws FabricException with the first error, after the whole list was worked through: {@link
   *     Errno#EINVAL} for a handle that names no entry, {@link Errno#ENOMEM} for an entry of a
   *     range if there is no memory to record that it is gone, and then it stays; {@link
   *     Errno#EBUSY} for a key that is in use; or with {@link Errno#EINVAL} for bad flags, and then
   *     nothing was removed
   */
  void remove(@Nullable MemorySegment handles, int count, long flags);

  /**
   * Gives an entry another address in one step, as a peer needs that moved or was started again
   * elsewhere; libfabric has no such call. The handle stays valid: a lookup meanwhile gives the old
   * address or the new one. {@link #find(FabricAddress)} finds the entry by the new one alone. User
   * id, authorization key, membership in sets, and how often the entry was inserted, stay.
   *
   * <p>Operations that are posted from now on go to the new address, and messages from there have
   * the handle as source. For what was posted before, the entry is as one that was removed: it goes
   * to the old address, whose connection stays; a receive that is directed at the handle takes
   * nothing any more, and memory that is registered for it is for no peer any more. If the entry
   * has the address already, nothing happens.
   *
   * <p>It takes its turn as {@link #remove(long)} does, also on an asynchronous vector.
   *
   * @param handle the handle
   * @param address the new address, of the vector's format
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry, {@link
   *     Errno#EALREADY} if another entry has the address, unless the duplicate policy is {@link
   *     DuplicatePolicy#NEW_INDEX}, {@link Errno#ENOMEM} without memory; or with the errno and the
   *     reason for which the address could not be inserted. The entry has its old address then
   */
  void replace(long handle, FabricAddress address);

  /**
   * Inserts an address under a handle that names no entry at present, whatever handles are free
   * besides; libfabric has no such call. A job needs it whose handles are ranks: the entry of a
   * rank that has left is removed, and a later member of the rank has its handle again.
   *
   * <p>The entry is a new one in everything but its handle: it inherits nothing from a former
   * entry. Free handles below this one stay free; the call takes time in proportion to their
   * number.
   *
   * @param handle a handle without receive context and peer group
   * @param address the address, of the vector's format
   * @throws FabricException with {@link Errno#EBUSY} if the handle names an entry or is reserved
   *     for an asynchronous insertion, {@link Errno#EALREADY} if another entry has the address,
   *     unless the duplicate policy is {@link DuplicatePolicy#NEW_INDEX}, {@link Errno#EINVAL} for
   *     a number that can be no handle, {@link Errno#ENOSYS} on an asynchronous vector and on one
   *     that does not use handles again, {@link Errno#ENOMEM} without memory; or with the errno and
   *     the reason for which the address could not be inserted. Nothing was inserted then
   */
  void insertAt(long handle, FabricAddress address);

  /**
   * {@code fi_av_lookup}: the address of a handle.
   *
   * @param handle the handle
   * @return the address in the vector's format: as inserted but for bytes without meaning; text
   *     keeps its spelling
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry
   */
  FabricAddress lookup(long handle);

  /**
   * {@code fi_av_lookup} into a buffer. Allocates nothing.
   *
   * @param handle the handle
   * @param buffer takes as much of the packed address as fits
   * @return the full length of the packed address in bytes
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry
   */
  int lookup(long handle, MemorySegment buffer);

  /**
   * {@code fi_av_lookup2}: lookup for other kinds of consumers, of which there is none here.
   *
   * @param handle the handle
   * @param buffer takes as much of the packed address as fits
   * @param flags must be 0
   * @param consumer must be null
   * @return the full length of the packed address in bytes
   * @throws FabricException with {@link Errno#ENOSYS} for {@code FI_XPU} (bit 44), the consumer
   *     that libfabric has; {@link Errno#EINVAL} for other flags, a consumer without a flag, or a
   *     handle that names no entry
   */
  int lookup(long handle, MemorySegment buffer, long flags, @Nullable Object consumer);

  /**
   * Reverse lookup: the handle of an address. libfabric has no such call. Addresses that were
   * inserted under an authorization key are others: see {@link #find(FabricAddress, long)}.
   *
   * @param address the address
   * @return the handle; with several entries for the address the one with the lowest index; {@link
   *     Handles#NOT_AVAILABLE} if it is not in the vector
   */
  long find(FabricAddress address);

  /**
   * Reverse lookup of a packed address. Allocates nothing for socket addresses.
   *
   * @param address one packed address in the vector's format
   * @return the handle, or {@link Handles#NOT_AVAILABLE} if it is not in the vector
   */
  long find(MemorySegment address);

  /**
   * Reverse lookup of an address under an authorization key.
   *
   * @param address the address
   * @param authKey the handle of the key
   * @return the handle of the address under that key, or {@link Handles#NOT_AVAILABLE} if it is not
   *     in the vector
   * @throws FabricException with {@link Errno#EINVAL} if {@code authKey} names no key, {@link
   *     Errno#ENOKEY} if only other processes have inserted it
   */
  long find(FabricAddress address, long authKey);

  /**
   * Reverse lookup of a packed address under an authorization key. Allocates nothing for socket
   * addresses.
   *
   * @param address one packed address in the vector's format
   * @param authKey the handle of the key
   * @return the handle, or {@link Handles#NOT_AVAILABLE} if it is not in the vector
   * @throws FabricException with {@link Errno#EINVAL} if {@code authKey} names no key, {@link
   *     Errno#ENOKEY} if only other processes have inserted it
   */
  long find(MemorySegment address, long authKey);

  /**
   * {@code fi_av_set}: opens an ordered subset of the entries. The vector cannot be closed before
   * it. What is inserted or removed while the call goes on may be a member at first or not; every
   * other entry that is meant is one.
   *
   * @param options what it begins with
   * @return a new set
   * @throws FabricException with {@link Errno#ENOSYS} below version 1.9, {@link Errno#EINVAL} for a
   *     range on a vector that is not of type TABLE, one end of a range without the other, a count
   *     that is smaller than what the set begins with, or unknown flags
   */
  AddressVectorSet openSet(VectorSetOptions options);

  /**
   * The handle of the n-th entry, whatever the type of the vector: what a shared vector's {@code
   * map_addr} array holds in C.
   *
   * @param index the entry's index, from 0
   * @return its handle
   * @throws FabricException with {@link Errno#EINVAL} if there is no such entry
   */
  long handleAt(long index);

  /**
   * {@code fi_rx_addr} with the receive context bits of this vector ({@link
   * VectorOptions#receiveContextBits}): the handle that reaches one receive context of a scalable
   * endpoint. Allocates nothing.
   *
   * @param handle a handle of this vector
   * @param receiveIndex the receive context, from 0
   * @return the combined handle, or {@link Handles#NOT_AVAILABLE} if the vector reserves no bits
   *     for the index
   */
  default long atReceiveContext(long handle, int receiveIndex) {
    return Handles.atReceiveContext(handle, receiveIndex, options().receiveContextBits());
  }

  /**
   * The handles of all entries, in the order of their indices. Takes no lock: an entry that is
   * there all the while is in the stream, and one that comes or goes meanwhile may be. libfabric
   * has no such call.
   *
   * @return the handles; the vector has to stay open while they are read
   */
  LongStream handles();

  /**
   * Shows all entries to a visitor, with their packed addresses, in the order of their indices, as
   * {@link #handles} does. The visitor may call the vector; it must not close it.
   *
   * @param visitor looks at each entry; what it throws ends the call
   */
  void forEach(EntryVisitor visitor);

  /**
   * Why an address would be refused, before inserting it.
   *
   * @param address one packed address
   * @return the reason in words, or null if the vector would take it; that an address is there
   *     already is a reason with {@link DuplicatePolicy#REJECT} only
   */
  @Nullable String refusal(MemorySegment address);

  /**
   * {@code fi_av_straddr}: an address as text. It need not be in the vector.
   *
   * @param address one packed address in the vector's format
   * @return the text, or null if the address's family is not known
   */
  @Nullable String toText(MemorySegment address);

  /**
   * {@code fi_av_straddr} into a buffer.
   *
   * @param address one packed address in the vector's format
   * @param buffer takes as much of the text as fits, always ended by a zero byte unless it is empty
   * @return the buffer and the length of the whole text with its zero byte, or null if the
   *     address's family is not known
   */
  @Nullable AddressText toText(MemorySegment address, MemorySegment buffer);

  /**
   * The user id of an entry; libfabric has no such call. In a vector that processes share, the ids
   * are those of this process.
   *
   * @param handle the handle
   * @return the id, or empty if the entry has none
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry
   */
  OptionalLong userId(long handle);

  /**
   * {@code fi_av_set_user_id}: sets what completions report for an entry from now on instead of its
   * handle. All who share the entry ({@link DuplicatePolicy#SHARE}) share the id.
   *
   * @param handle the handle
   * @param id the id, which replaces the one that the entry has
   * @throws FabricException with {@link Errno#ENOSYS} below version 1.20, {@link Errno#EINVAL} if
   *     the vector was not opened with {@link VectorFlag#USER_ID}, or the handle names no entry;
   *     {@link Errno#ENOMEM} without memory for a further id
   */
  void setUserId(long handle, UserId id);

  /**
   * {@code fi_av_set_user_id} with {@code FI_AUTH_KEY}: sets what completions report from now on
   * for an authorization key instead of its handle.
   *
   * @param key the handle of the key
   * @param id the id, which replaces the one that the key has
   * @throws FabricException with {@link Errno#ENOSYS} below version 1.20, {@link Errno#EINVAL} if
   *     the vector was not opened with {@link VectorFlag#USER_ID}, or the handle names no key;
   *     {@link Errno#ENOKEY} for a key that only other processes have inserted
   */
  void setAuthKeyUserId(long key, UserId id);
}
