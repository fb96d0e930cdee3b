// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * {@code struct fi_av_attr}: how an address vector is to behave. Type, bits for receive contexts,
 * count, endpoints per node, name, base of the handles and flags are those of the C structure; the
 * others set what the man page leaves open.
 *
 * <p>Immutable; each {@code with} method returns a changed copy. It throws {@link FabricException}
 * with {@link Errno#EINVAL} for null where a value is needed; other values are checked when the
 * vector is opened. {@link AddressVector#options} has what the vector made of them: the type behind
 * {@link VectorType#UNSPECIFIED}, the base of a named vector's handles.
 */
public final class VectorOptions {
  private static final VectorOptions DEFAULTS = new VectorOptions(new Values());

  private final Values values;

  private VectorOptions(Values values) {
    this.values = values;
  }

  /** {@return options of a private synchronous vector whose type the provider chooses} */
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

  /** {@return how the application sees entries} */
  public VectorType type() {
    return values.type;
  }

  /**
   * {@return a copy for a vector of another type}
   *
   * @param type how the application sees entries
   */
  public VectorOptions withType(VectorType type) {
    Arguments.required(type, "type");
    return with(copy -> copy.type = type);
  }

  /** {@return how many high bits of each handle are kept free} */
  public int receiveContextBits() {
    return values.receiveContextBits;
  }

  /**
   * {@return a copy that keeps the high bits of each handle free for {@link
   * Handles#atReceiveContext}}
   *
   * @param receiveContextBits {@code rx_ctx_bits}: how many bits, 0 to 31
   */
  public VectorOptions withReceiveContextBits(int receiveContextBits) {
    return with(copy -> copy.receiveContextBits = receiveContextBits);
  }

  /** {@return the expected number of entries, 0 if unknown} */
  public long count() {
    return values.count;
  }

  /**
   * {@return a copy that expects another number of entries}
   *
   * @param count a hint only, 0 if unknown
   */
  public VectorOptions withCount(long count) {
    return with(copy -> copy.count = count);
  }

  /** {@return the expected number of endpoints on each node, 0 if unknown} */
  public long endpointsPerNode() {
    return values.endpointsPerNode;
  }

  /**
   * {@return a copy that expects another number of endpoints on each node}
   *
   * @param endpointsPerNode {@code ep_per_node}: a hint only, 0 if unknown
   */
  public VectorOptions withEndpointsPerNode(long endpointsPerNode) {
    return with(copy -> copy.endpointsPerNode = endpointsPerNode);
  }

  /** {@return the name of the vector, null for a private one} */
  public @Nullable String name() {
    return values.name;
  }

  /**
   * {@return a copy for a vector that other processes find by this name}
   *
   * {@snippet class="examples.Vectors" region="named"}
   *
   * @param name 1 to 255 bytes in UTF-8, or null for a private vector
   */
  public VectorOptions withName(@Nullable String name) {
    return with(copy -> copy.name = name);
  }

  /** {@return the base of the handles of a named MAP vector, 0 for the one that it has} */
  public long mapAddress() {
    return values.mapAddress;
  }

  /**
   * {@return a copy with another base for the handles of a named MAP vector}
   *
   * @param mapAddress {@code map_addr}: a multiple of 16, or 0 for the one that the vector has;
   *     ignored without a name
   */
  public VectorOptions withMapAddress(long mapAddress) {
    return with(copy -> copy.mapAddress = mapAddress);
  }

  /** {@return bits of {@link VectorFlag}} */
  public long flags() {
    return values.flags;
  }

  /**
   * {@return a copy with these flags alone}
   *
   * @param flags what the vector is for
   */
  public VectorOptions withFlags(VectorFlag... flags) {
    return withFlags(Flag.maskOf(flags));
  }

  /**
   * {@return a copy with these flags alone, as the C structure has them}
   *
   * @param flags bits of {@link VectorFlag}
   */
  public VectorOptions withFlags(long flags) {
    return with(copy -> copy.flags = flags);
  }

  /** {@return how the vector treats an address that is inserted twice} */
  public DuplicatePolicy duplicates() {
    return values.duplicates;
  }

  /**
   * {@return a copy that shares, adds or refuses an address that is inserted twice}
   *
   * @param duplicates which of these; {@link DuplicatePolicy#BY_VERSION} by default
   */
  public VectorOptions withDuplicates(DuplicatePolicy duplicates) {
    Arguments.required(duplicates, "duplicates");
    return with(copy -> copy.duplicates = duplicates);
  }

  /** {@return the resolver of host names, null for the JDK's} */
  public @Nullable AddressResolver resolver() {
    return values.resolver;
  }

  /**
   * {@return a copy that resolves host names by another resolver}
   *
   * @param resolver the application's, or null for the JDK's
   */
  public VectorOptions withResolver(@Nullable AddressResolver resolver) {
    return with(copy -> copy.resolver = resolver);
  }

  /** {@return how long one host name may take} */
  public Duration resolutionTimeout() {
    return values.resolutionTimeout;
  }

  /**
   * {@return a copy with another limit for resolving host names}
   *
   * @param resolutionTimeout how long one host name may take, more than zero; 10 seconds by default
   */
  public VectorOptions withResolutionTimeout(Duration resolutionTimeout) {
    Arguments.required(resolutionTimeout, "resolutionTimeout");
    return with(copy -> copy.resolutionTimeout = resolutionTimeout);
  }

  /** {@return how long calls wait for others that change a named vector} */
  public Duration lockTimeout() {
    return values.lockTimeout;
  }

  /**
   * {@return a copy with another limit for waiting until a named vector may be changed} It does not
   * matter for a private vector.
   *
   * @param lockTimeout how long opening, saving and each change wait in all for other processes
   *     that change the vector, and for threads of this one, more than zero; 10 seconds by default.
   *     After that they fail with {@link Errno#EAGAIN}. Asynchronous insertions wait for as long as
   *     it takes
   */
  public VectorOptions withLockTimeout(Duration lockTimeout) {
    Arguments.required(lockTimeout, "lockTimeout");
    return with(copy -> copy.lockTimeout = lockTimeout);
  }

  /** {@return the file whose entries the vector begins with, or null} */
  public @Nullable Path saved() {
    return values.saved;
  }

  /**
   * {@return a copy for a vector that begins with the entries of a file} With {@link
   * VectorFlag#READ} the file itself is read, otherwise the vector is a copy. Type, duplicate
   * policy, address format, bits for receive contexts and the largest peer group must be those of
   * the saved vector. A vector with a name cannot begin with a file.
   *
   * @param saved a file that {@link AddressVector#save} wrote, or null for an empty vector
   */
  public VectorOptions withSaved(@Nullable Path saved) {
    return with(copy -> copy.saved = saved);
  }

  /** {@return the vector's {@link FabricObject#context}} */
  public @Nullable Object context() {
    return values.context;
  }

  /**
   * {@return a copy with another context}
   *
   * @param context returned by {@link FabricObject#context}
   */
  public VectorOptions withContext(@Nullable Object context) {
    return with(copy -> copy.context = context);
  }

  private VectorOptions with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new VectorOptions(copy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof VectorOptions options && options.values.all().equals(values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** {@return the fields that differ from those of {@link #defaults}} */
  @Override
  public String toString() {
    return values.text("VectorOptions", DEFAULTS.values.all());
  }

  private static final class Values extends Fields<Values> {
    private VectorType type = VectorType.UNSPECIFIED;
    private int receiveContextBits;
    private long count;
    private long endpointsPerNode;
    private @Nullable String name;
    private long mapAddress;
    private long flags;
    private DuplicatePolicy duplicates = DuplicatePolicy.BY_VERSION;
    private @Nullable AddressResolver resolver;
    private Duration resolutionTimeout = Duration.ofSeconds(10);
    private Duration lockTimeout = Duration.ofSeconds(10);
    private @Nullable Path saved;
    private @Nullable Object context;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("type", type);
      to.put("receiveContextBits", receiveContextBits);
      to.put("count", count);
      to.put("endpointsPerNode", endpointsPerNode);
      to.put("name", name);
      to.put("mapAddress", mapAddress);
      to.put("flags", Flag.names(VectorFlag.class, flags));
      to.put("duplicates", duplicates);
      to.put("resolver", resolver);
      to.put("resolutionTimeout", resolutionTimeout);
      to.put("lockTimeout", lockTimeout);
      to.put("saved", saved);
      to.put("context", context);
    }
  }
}
