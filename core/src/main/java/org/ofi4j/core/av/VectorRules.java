// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.badFlags;
import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.InsertFlag;
import org.ofi4j.Profile;
import org.ofi4j.RemoveFlag;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.mapped.VectorTraits;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.source.SegmentChecks;

/**
 * The rules of one vector: the options that {@code fi_av_open} takes, what the vector owes to the
 * API version, and the calls that are refused as a whole, before anything has changed. Nothing else
 * about vectors compares versions.
 *
 * @param options the options in effect
 */
record VectorRules(VectorOptions options, FabricInfo info) {
  /** {@code FI_XPU}, the one flag of {@code fi_av_lookup2}. */
  private static final long XPU = 1L << 44;

  /** Bytes that the name of a vector may have. */
  private static final int MAX_NAME = 255;

  /** More keys than any domain has: numbers from here on are for other uses of their handles. */
  static final int MAX_KEYS = 1 << 30;

  /** Flags that say that the array of handles holds something on input. */
  static final long INPUT = InsertFlag.USER_ID.mask() | InsertFlag.AUTH_KEY.mask();

  // Opening.

  /**
   * Returns the rules of a vector, with the options as passed but for the type and the duplicate
   * policy, which are settled.
   *
   * @throws FabricException if the options are wrong or do not fit the domain
   */
  static VectorRules of(@Nullable VectorOptions options, FabricInfo info) {
    if (options == null) {
      throw invalid("options are null: pass VectorOptions.defaults()");
    }
    VectorRules given = new VectorRules(options, info);
    given.checkFlags();
    given.checkName();
    if (!given.knows(info.addressFormat())) {
      throw invalid(
          "API version %s does not know address format %s: ask for a newer version"
              .formatted(info.apiVersion(), info.addressFormat()));
    }
    checkHint("count", options.count());
    checkHint("endpointsPerNode", options.endpointsPerNode());
    if (!options.lockTimeout().isPositive()) {
      throw invalid("lockTimeout " + options.lockTimeout() + " leaves no time to wait for anybody");
    }
    if (!options.resolutionTimeout().isPositive()) {
      throw invalid(
          "resolutionTimeout " + options.resolutionTimeout() + " lets no name be resolved");
    }
    VectorOptions effective = options.withType(type(options.type(), info.domain().vectorType()));
    return given.with(
        options.duplicates() == DuplicatePolicy.BY_VERSION
            ? effective.withDuplicates(given.duplicates())
            : effective);
  }

  private static void checkHint(String name, long value) {
    if (value < 0) {
      throw invalid(name + " " + value + " is negative: 0 stands for an unknown number");
    }
  }

  private void checkFlags() {
    refuse(
        options.flags() & ~openFlags(),
        " are not for opening a vector in API version " + info.apiVersion());
    if (reportsUserIdsOnly() && !hasUserIds()) {
      throw invalid("FI_AV_USER_ID needs a domain with that capability: ask for it in the hints");
    }
  }

  private void checkName() {
    String name = options.name();
    if (options.saved() != null) {
      checkSaved();
    }
    if (name == null) {
      if (isReadOnly() && options.saved() == null) {
        throw invalid(
            "FI_READ attaches to a named vector, or reads a saved one: give its name or"
                + " its file");
      }
      return; // map_addr is not looked at (AV-046)
    }
    if (name.isEmpty()) {
      throw invalid("name is empty: null opens a private vector");
    }
    checkEncodable(name);
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_NAME) {
      throw invalid("name has " + length + " bytes in UTF-8, but at most " + MAX_NAME + " fit");
    }
    if (!sharesVectors(info)) {
      throw unsupported(
          ("domain %s shares no vectors, so \"%s\" cannot be opened: ask for the capability"
                  + " FI_SHARED_AV in the hints, or leave the name out")
              .formatted(info.domain().name(), name));
    }
  }

  /** Refuses a name that in UTF-8 would be that of another vector. */
  static void checkEncodable(String name) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw invalid(
          "name \"%s\" has half a surrogate pair, which UTF-8 cannot write: mend the name"
              .formatted(name));
    }
  }

  private void checkSaved() {
    if (options.name() != null) {
      throw invalid(
          "a vector is opened by name, \"%s\", or from a file, %s: leave one out"
              .formatted(options.name(), options.saved()));
    }
    if (keysInVector()) {
      throw unsupported(
          ("domain %s has authorization keys in its vectors, and keys never enter a file, so %s"
                  + " cannot be opened: leave it out, or FI_AV_AUTH_KEY")
              .formatted(info.domain().name(), options.saved()));
    }
  }

  private static VectorType type(VectorType wanted, VectorType ofDomain) {
    if (wanted == VectorType.UNSPECIFIED) {
      return ofDomain == VectorType.UNSPECIFIED ? VectorType.TABLE : ofDomain;
    }
    if (ofDomain != VectorType.UNSPECIFIED && ofDomain != wanted) {
      throw invalid(
          "type " + wanted + " does not fit the domain, which was opened for " + ofDomain);
    }
    return wanted;
  }

  /** Whether the domain keeps user ids (AV-051, AV-104). */
  private boolean hasUserIds() {
    return (info.domain().capabilities() & Capability.AV_USER_ID.mask()) != 0;
  }

  // The API version.

  private boolean isAtLeast(ApiVersion version) {
    return info.apiVersion().isAtLeast(version);
  }

  /** Returns whether the profile is that of the candidate; the release 1.0 has the same number. */
  private boolean isCandidate() {
    return info.profile() == Profile.CANDIDATE_1_0;
  }

  /** Returns whether no address at all stands for any address (AV-079). */
  boolean nullMeansAny() {
    return isCandidate();
  }

  /** Returns the result of the call of an asynchronous insertion (AV-203, AV-204). */
  int started(int count) {
    return isCandidate() ? count : 0;
  }

  /** Returns whether the lowest unused index is taken; else indices are appended (AV-083). */
  boolean reusesIndices() {
    return !isCandidate();
  }

  /**
   * Returns whether handles may carry a peer group (AV-146), and MAP behaves like TABLE (AV-024).
   */
  boolean hasGroups() {
    return isAtLeast(ApiVersion.V2_0);
  }

  boolean handlesAreIndices() {
    return options.type() == VectorType.TABLE || hasGroups();
  }

  /** Returns the effect of inserting an address twice, if no option says it (AV-178). */
  private DuplicatePolicy duplicates() {
    return isAtLeast(ApiVersion.V1_15) ? DuplicatePolicy.SHARE : DuplicatePolicy.NEW_INDEX;
  }

  /** Returns the flags that may be passed to open (AV-015). */
  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  private long openFlags() {
    long flags = VectorFlag.EVENT.mask() | VectorFlag.READ.mask() | VectorFlag.SYMMETRIC.mask();
    return isAtLeast(ApiVersion.V1_20) ? flags | VectorFlag.USER_ID.mask() : flags;
  }

  /** Returns the flags that may be passed to insertions (AV-097). */
  long insertFlags() {
    return InsertFlag.MORE.mask()
        | from(ApiVersion.V1_5, InsertFlag.SYNC_ERR)
        | from(ApiVersion.V1_16, InsertFlag.USER_ID)
        | from(ApiVersion.V1_20, InsertFlag.AUTH_KEY)
        | from(ApiVersion.V2_2, InsertFlag.FIREWALL_ADDRESS);
  }

  private long from(ApiVersion first, InsertFlag flag) {
    return isAtLeast(first) ? flag.mask() : 0;
  }

  /** Returns whether addresses may be given as text (AV-078, AV-112). */
  boolean takesText() {
    return isAtLeast(ApiVersion.V1_5);
  }

  /** Returns whether the version knows the format of the domain's addresses (AV-224). */
  private boolean knows(AddressFormat format) {
    return switch (format) {
      case STR -> takesText();
      case SOCKADDR_IP -> isAtLeast(ApiVersion.V2_3);
      default -> true;
    };
  }

  /** Returns whether the domain has the keys of its endpoints in vectors (AV-155, AV-156). */
  private boolean keysInVector() {
    return isAtLeast(ApiVersion.V1_20)
        && info.domain().authKeySize() == FabricInfo.DomainAttributes.KEYS_IN_VECTOR;
  }

  /**
   * Returns whether a domain has named vectors. The capability came with 1.5; before, a name was
   * all that sharing took (AV-040).
   */
  static boolean sharesVectors(FabricInfo info) {
    return info.has(Capability.SHARED_AV) || !info.apiVersion().isAtLeast(ApiVersion.V1_5);
  }

  private void checkVersion(ApiVersion first, String what) {
    if (!isAtLeast(first)) {
      throw unsupported(
          "%s came with API version %s, but %s was asked for"
              .formatted(what, first, info.apiVersion()));
    }
  }

  // The vector.

  /** Returns the rules with other options. */
  VectorRules with(VectorOptions others) {
    return new VectorRules(others, info);
  }

  /**
   * Returns the layout of handles, which depends on the base of handles if the vector has a name.
   *
   * @throws FabricException with {@link Errno#EINVAL} if parts of a handle would overlap
   */
  HandleLayout layout() {
    boolean indices = handlesAreIndices();
    int bits = options.receiveContextBits();
    int groups = hasGroups() ? maxGroup() : HandleLayout.NO_GROUPS;
    boolean namesReceiveContexts = info.has(Capability.NAMED_RECEIVE_CONTEXT);
    return indices || options.name() == null
        ? HandleLayout.of(indices, bits, groups, namesReceiveContexts)
        : HandleLayout.opaqueFrom(options.mapAddress(), bits, namesReceiveContexts);
  }

  /** Returns how many authorization keys the vector may have; 0 if it has none. */
  int mostKeys() {
    return keysInVector() ? Math.min(info.domain().maxEndpointAuthKeys(), MAX_KEYS) : 0;
  }

  private int maxGroup() {
    return Math.max(0, info.domain().maxGroupId());
  }

  /** Returns what all processes that use the vector, or read its file, must agree on. */
  VectorTraits traits() {
    int profileClass = handlesAreIndices() ? VectorTraits.INDICES : VectorTraits.OPAQUE_HANDLES;
    return new VectorTraits(
        reusesIndices() ? profileClass : VectorTraits.INDICES_ONCE,
        options.type().number(),
        VectorTraits.number(options.duplicates()),
        info.addressFormat().number(),
        options.receiveContextBits(),
        Math.min(mostKeys(), KeySlots.MOST),
        hasGroups() ? maxGroup() : 0,
        options.mapAddress(),
        Math.max(0, options.count()));
  }

  boolean isReadOnly() {
    return (options.flags() & VectorFlag.READ.mask()) != 0;
  }

  /** Returns whether completions report user ids and nothing else (AV-096, AV-168). */
  boolean reportsUserIdsOnly() {
    return (options.flags() & VectorFlag.USER_ID.mask()) != 0;
  }

  /** Refuses a change of a vector that is only to be read. */
  private void checkWritable() {
    if (isReadOnly()) {
      throw new FabricException(
          Errno.EACCES,
          "the vector was opened with FI_READ and cannot be changed: open it without that flag");
    }
  }

  // Insertions.

  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  boolean asynchronous() {
    return (options.flags() & VectorFlag.EVENT.mask()) != 0;
  }

  /**
   * Checks flags (AV-097 to AV-107).
   *
   * @param hasInput whether the call brought ids or keys
   */
  void checkFlags(long flags, boolean hasInput) {
    long unknown = flags & ~insertFlags();
    if (unknown != 0) {
      throw badFlags(unknown, " are not for insertions in API version " + info.apiVersion());
    }
    if (asynchronous() && (flags & InsertFlag.SYNC_ERR.mask()) != 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "FI_SYNC_ERR is for synchronous vectors: this one reports to its event queue");
    }
    if ((flags & INPUT) != 0) {
      checkInput(flags, hasInput);
    }
    checkWritable();
  }

  /**
   * Checks a call that gives an entry an address; returns the address.
   *
   * @param purpose of the address, for the message
   */
  FabricAddress checkGiven(@Nullable FabricAddress address, String purpose) {
    if (address == null) {
      throw invalid("address is null, but " + purpose);
    }
    checkWritable();
    return address;
  }

  /** Checks whether vectors of this kind have insertAt. */
  void checkInsertAt() {
    if (asynchronous() || !reusesIndices()) {
      throw new FabricException(
          Errno.ENOSYS,
          "insertAt: the vector "
              + (asynchronous() ? "is asynchronous" : "never uses a handle again")
              + "; open one of type TABLE with synchronous insertions in the latest API version");
    }
  }

  private void checkInput(long flags, boolean hasInput) {
    if (!hasInput) {
      throw invalid("FI_AV_USER_ID and FI_AUTH_KEY need a value for each address on input");
    }
    boolean keys = keysInVector();
    boolean userIds = (flags & InsertFlag.USER_ID.mask()) != 0;
    if ((flags & InsertFlag.AUTH_KEY.mask()) != 0) {
      if (!keys) {
        throw invalid("FI_AUTH_KEY needs a domain that was opened for keys in the vector");
      }
      if (!userIds) {
        return;
      }
    }
    if (keys || reportsUserIdsOnly()) {
      throw invalid("FI_AV_USER_ID cannot be given with an insertion here: use setUserId");
    }
    if (!hasUserIds()) {
      throw unsupported(
          "domain %s keeps no user ids: ask for the capability FI_AV_USER_ID in the hints"
              .formatted(info.domain().name()));
    }
  }

  /**
   * Checks the memory that takes results.
   *
   * @param addresses the memory of the addresses, no more than they take; null if there is none
   */
  void checkResults(
      int count,
      @Nullable MemorySegment addresses,
      @Nullable MemorySegment handles,
      @Nullable MemorySegment errors,
      long flags) {
    if (handles == null && count > 0 && !handlesAreIndices()) {
      throw invalid(
          "handles is null, but handles of a MAP vector cannot be predicted: pass memory"
              + " for them");
    }
    SegmentChecks.results(handles, "handles", count, Long.BYTES);
    boolean wanted = (flags & InsertFlag.SYNC_ERR.mask()) != 0;
    if (wanted && errors == null) {
      throw invalid("errors is null, but FI_SYNC_ERR reports there: pass 4 bytes for each address");
    }
    if (!wanted && errors != null) {
      throw invalid("errors is given without FI_SYNC_ERR, which reports there");
    }
    SegmentChecks.results(errors, "errors", count, Integer.BYTES);
    long used = addresses == null ? 0 : addresses.byteSize();
    long handleBytes = (long) count * Long.BYTES;
    long errorBytes = (long) count * Integer.BYTES;
    SegmentChecks.apart(handles, "handles", handleBytes, errors, "errors", errorBytes);
    SegmentChecks.apart(addresses, "addresses", used, handles, "handles", handleBytes);
    SegmentChecks.apart(addresses, "addresses", used, errors, "errors", errorBytes);
    if (asynchronous()) {
      SegmentChecks.shared(handles, "handles");
    }
  }

  void checkInput(int count, long @Nullable [] input, long flags) {
    if (input != null && (flags & INPUT) == 0) {
      throw invalid("options carry input, but neither FI_AV_USER_ID nor FI_AUTH_KEY says what");
    }
    if (input != null && input.length != count) {
      throw invalid(
          "options carry %s values for %s addresses: give one for each"
              .formatted(input.length, count));
    }
  }

  // All other calls.

  /** {@code fi_av_bind} (AV-071 to AV-073); the queue as what it is. */
  CoreEventQueue checkBind(AddressVector vector, @Nullable EventQueue queue, long flags) {
    refuse(flags, " are given, but none exist for bind");
    if (!asynchronous()) {
      throw invalid(vector + " is synchronous: open it with FI_EVENT to bind an event queue");
    }
    if (!(queue instanceof CoreEventQueue core)
        || !core.fabric().equals(vector.domain().fabric())) {
      throw invalid("queue " + queue + " is no event queue of the vector's fabric");
    }
    return core;
  }

  /** {@code fi_av_remove} (AV-134, AV-135); the handles, or null if there are none. */
  @Nullable MemorySegment checkRemove(@Nullable MemorySegment handles, int count, long flags) {
    boolean keys = flags == RemoveFlag.AUTH_KEY.mask() && isAtLeast(ApiVersion.V1_20);
    if (flags != 0 && !keys) {
      throw invalid(text(flags) + " are not for removals in API version " + info.apiVersion());
    }
    checkWritable();
    SegmentChecks.count(count, "count");
    if (count == 0) {
      return null;
    }
    MemorySegment readable = SegmentChecks.array(handles, "handles", count, Long.BYTES);
    if (keys && !keysInVector()) {
      throw invalid("FI_AUTH_KEY says that handles name keys, of which this vector has none");
    }
    return readable;
  }

  /** {@code fi_av_set_user_id} (AV-175). */
  void checkSetUserId() {
    checkVersion(ApiVersion.V1_20, "setUserId");
    if (!reportsUserIdsOnly()) {
      throw invalid("the vector was not opened with FI_AV_USER_ID, so ids cannot be set later");
    }
  }

  /** {@code fi_av_set_user_id} with {@code FI_AUTH_KEY} (AV-177). */
  void checkSetAuthKeyUserId(long key) {
    checkSetUserId();
    if (!keysInVector()) {
      throw invalid(HandleLayout.text(key) + " is no authorization key of this vector");
    }
  }

  /** Calls for authorization keys came late (AV-001). */
  void checkKeyCall(String call) {
    checkVersion(ApiVersion.V1_20, call);
  }

  /** {@code fi_av_insert_auth_key} (AV-156, AV-160, AV-161, AV-170). No text shows the key. */
  void checkInsertKey(byte @Nullable [] key, long flags) {
    checkKeyCall("insertAuthKey");
    if (key == null) {
      throw invalid("key is null, but its bytes are needed");
    }
    refuse(flags, " are given, but none exist for keys");
    checkWritable();
    if (!keysInVector()) {
      throw invalid(
          ("domain %s was not opened for authorization keys in the vector: ask for"
                  + " FI_AV_AUTH_KEY in the hints")
              .formatted(info.domain().name()));
    }
    int size = AddressVector.AUTH_KEY_SIZE;
    if (key.length != size) {
      throw invalid("key has " + key.length + " bytes, but keys here have " + size);
    }
  }

  /** {@code fi_av_set} came late (AV-226). */
  void checkSet() {
    checkVersion(ApiVersion.V1_9, "sets");
  }

  /** {@code fi_av_lookup2} (AV-225, D-08). */
  void checkLookup(long flags, @Nullable Object consumer) {
    refuse(flags & ~XPU, " are given, but only FI_XPU exists for lookups");
    if (flags != 0) {
      throw unsupported("FI_XPU asks for addresses for accelerators, which are not supported");
    }
    if (consumer != null) {
      throw invalid("consumer is given without a flag that says what it is");
    }
  }

  /** {@code fi_av_straddr} with a length by value (AV-152). */
  void checkTextByLength() {
    if (!isCandidate()) {
      throw unsupported("a length by value is of the 1.0 candidate: pass a slice of the buffer");
    }
  }

  /** Saving to a file, which keys never enter. */
  void checkSave(@Nullable Path path) {
    if (path == null) {
      throw invalid("path is null: name the file to save to");
    }
    if (keysInVector()) {
      throw unsupported(
          "a vector with authorization keys cannot be saved to %s: keys never enter a file"
              .formatted(path));
    }
  }

  /**
   * Refuses flags that a call does not take.
   *
   * @param unknown the flags, 0 for none
   * @param words continue the message after the flags
   */
  static void refuse(long unknown, String words) {
    if (unknown != 0) {
      throw invalid(text(unknown) + words);
    }
  }

  private static String text(long flags) {
    return "flags 0x" + Long.toHexString(flags);
  }
}
