// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * {@code struct fi_av_attr}: how an address vector is to behave. The first seven are the C
 * structure's, the rest is what the man page leaves open.
 *
 * <p>Immutable; each {@code with} method gives a changed copy. What a vector made of it (the type
 * behind {@link VectorType#UNSPECIFIED}, the base of a named vector's handles) is in {@link
 * AddressVector#options}; the object passed in never changes.
 *
 * @param type how the application sees entries
 * @param receiveContextBits {@code rx_ctx_bits}: high bits of each handle kept free for {@link
 *     Handles#atReceiveContext}, 0 to 31
 * @param count expected number of entries; a hint only, 0 if unknown
 * @param endpointsPerNode {@code ep_per_node}: endpoints on each node; a hint only, 0 if unknown
 * @param name name under which other processes find the vector, 1 to 255 bytes in UTF-8, or null
 *     for a private one
 * @param mapAddress {@code map_addr}: base of the handles of a named MAP vector, a multiple of 16;
 *     0 takes the one that the vector has; ignored without a name
 * @param flags bits of {@link VectorFlag}
 * @param duplicates what inserting an address twice does
 * @param resolver what resolves host names, or null for the JDK's resolver
 * @param resolutionTimeout how long one host name may take, more than zero; 10 seconds by default
 * @param lockTimeout how long opening, saving and each change of a named vector wait in all for
 *     other processes that change it, and for threads of this one, more than zero, 10 seconds by
 *     default; then they fail with {@link Errno#EAGAIN}. Asynchronous insertions wait for as long
 *     as it takes. Without a name it does not matter
 * @param saved file that a vector was {@link AddressVector#save saved} to, whose entries the vector
 *     begins with; or null. With {@link VectorFlag#READ} the file itself is read, otherwise the
 *     vector is a copy. Type, duplicate policy, address format, bits for receive contexts and the
 *     largest peer group must be as they were. Does not go with a name
 * @param context returned by {@link FabricObject#context}
 */
public record VectorOptions(
    VectorType type,
    int receiveContextBits,
    long count,
    long endpointsPerNode,
    @Nullable String name,
    long mapAddress,
    long flags,
    DuplicatePolicy duplicates,
    @Nullable AddressResolver resolver,
    Duration resolutionTimeout,
    Duration lockTimeout,
    @Nullable Path saved,
    @Nullable Object context) {
  private static final VectorOptions DEFAULTS =
      new VectorOptions(
          VectorType.UNSPECIFIED,
          0,
          0,
          0,
          null,
          0,
          0,
          DuplicatePolicy.BY_VERSION,
          null,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          null,
          null);

  /** Refuses nulls; values are judged when the vector is opened. */
  public VectorOptions {
    Arguments.required(type, "type");
    Arguments.required(duplicates, "duplicates");
    Arguments.required(resolutionTimeout, "resolutionTimeout");
    Arguments.required(lockTimeout, "lockTimeout");
  }

  /**
   * A private synchronous vector whose type the provider chooses.
   *
   * @return options with every field at its default
   */
  public static VectorOptions defaults() {
    return DEFAULTS;
  }

  /** {@return options of a private synchronous vector of type TABLE} */
  public static VectorOptions table() {
    return DEFAULTS.withType(VectorType.TABLE);
  }

  /** {@return options of a private synchronous vector of type MAP} */
  public static VectorOptions map() {
    return DEFAULTS.withType(VectorType.MAP);
  }

  /**
   * {@return a copy for a vector of this type}
   *
   * @param type how the application sees entries
   */
  public VectorOptions withType(VectorType type) {
    Copy copy = new Copy(this);
    copy.type = type;
    return copy.made();
  }

  /**
   * {@return a copy that keeps the top bits of each handle free for receive contexts}
   *
   * @param receiveContextBits how many bits, 0 to 31
   */
  public VectorOptions withReceiveContextBits(int receiveContextBits) {
    Copy copy = new Copy(this);
    copy.receiveContextBits = receiveContextBits;
    return copy.made();
  }

  /**
   * {@return a copy that expects so many entries}
   *
   * @param count a hint only, 0 if unknown
   */
  public VectorOptions withCount(long count) {
    Copy copy = new Copy(this);
    copy.count = count;
    return copy.made();
  }

  /**
   * {@return a copy that expects so many endpoints on each node}
   *
   * @param endpointsPerNode a hint only, 0 if unknown
   */
  public VectorOptions withEndpointsPerNode(long endpointsPerNode) {
    Copy copy = new Copy(this);
    copy.endpointsPerNode = endpointsPerNode;
    return copy.made();
  }

  /**
   * {@return a copy for a vector that other processes find by this name}
   *
   * {@snippet class="examples.Vectors" region="named"}
   *
   * @param name 1 to 255 bytes in UTF-8, or null for a private vector
   */
  public VectorOptions withName(@Nullable String name) {
    Copy copy = new Copy(this);
    copy.name = name;
    return copy.made();
  }

  /**
   * {@return a copy with this base for the handles of a named MAP vector}
   *
   * @param mapAddress a multiple of 16, or 0 for the one that the vector has
   */
  public VectorOptions withMapAddress(long mapAddress) {
    Copy copy = new Copy(this);
    copy.mapAddress = mapAddress;
    return copy.made();
  }

  /**
   * {@return a copy with these flags alone}
   *
   * @param flags bits of {@link VectorFlag}; see {@link Flag#maskOf}
   */
  public VectorOptions withFlags(long flags) {
    Copy copy = new Copy(this);
    copy.flags = flags;
    return copy.made();
  }

  /**
   * {@return a copy that shares, adds or refuses an address that is inserted twice}
   *
   * @param duplicates which of these
   */
  public VectorOptions withDuplicates(DuplicatePolicy duplicates) {
    Copy copy = new Copy(this);
    copy.duplicates = duplicates;
    return copy.made();
  }

  /**
   * {@return a copy that resolves host names with this}
   *
   * @param resolver the application's, or null for the JDK's
   */
  public VectorOptions withResolver(@Nullable AddressResolver resolver) {
    Copy copy = new Copy(this);
    copy.resolver = resolver;
    return copy.made();
  }

  /**
   * {@return a copy that waits so long for each host name}
   *
   * @param resolutionTimeout more than zero
   */
  public VectorOptions withResolutionTimeout(Duration resolutionTimeout) {
    Copy copy = new Copy(this);
    copy.resolutionTimeout = resolutionTimeout;
    return copy.made();
  }

  /**
   * {@return a copy that waits so long for others who change a named vector}
   *
   * @param lockTimeout more than zero; then calls fail with {@link Errno#EAGAIN}
   */
  public VectorOptions withLockTimeout(Duration lockTimeout) {
    Copy copy = new Copy(this);
    copy.lockTimeout = lockTimeout;
    return copy.made();
  }

  /**
   * {@return a copy for a vector that begins with the entries of a file}
   *
   * @param saved what {@link AddressVector#save} wrote, or null for an empty vector
   */
  public VectorOptions withSaved(@Nullable Path saved) {
    Copy copy = new Copy(this);
    copy.saved = saved;
    return copy.made();
  }

  /**
   * {@return a copy for a vector that has this context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public VectorOptions withContext(@Nullable Object context) {
    Copy copy = new Copy(this);
    copy.context = context;
    return copy.made();
  }

  /** A copy of which one value is changed before it is made. */
  private static final class Copy {
    private VectorType type;
    private int receiveContextBits;
    private long count;
    private long endpointsPerNode;
    private @Nullable String name;
    private long mapAddress;
    private long flags;
    private DuplicatePolicy duplicates;
    private @Nullable AddressResolver resolver;
    private Duration resolutionTimeout;
    private Duration lockTimeout;
    private @Nullable Path saved;
    private @Nullable Object context;

    Copy(VectorOptions from) {
      type = from.type;
      receiveContextBits = from.receiveContextBits;
      count = from.count;
      endpointsPerNode = from.endpointsPerNode;
      name = from.name;
      mapAddress = from.mapAddress;
      flags = from.flags;
      duplicates = from.duplicates;
      resolver = from.resolver;
      resolutionTimeout = from.resolutionTimeout;
      lockTimeout = from.lockTimeout;
      saved = from.saved;
      context = from.context;
    }

    VectorOptions made() {
      return new VectorOptions(
          type,
          receiveContextBits,
          count,
          endpointsPerNode,
          name,
          mapAddress,
          flags,
          duplicates,
          resolver,
          resolutionTimeout,
          lockTimeout,
          saved,
          context);
    }
  }
}
