// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * The end of an operation, fi_cq(3): a {@link Success} or a {@link Failure}.
 *
 * <p>Both report which operation has ended. Bytes, source, tag and data of an operation that
 * succeeded are those of {@link Success} alone, so a program that reads them has checked the kind
 * of the completion.
 *
 * {@snippet class="examples.Queues" region="read"}
 *
 * <p>Immutable. {@link CompletionQueue#poll} delivers the values of successes to a {@link
 * CompletionHandler} without an object.
 */
public sealed interface Completion {
  /**
   * {@code op_context}: the context of the operation.
   *
   * @return the context, or null when none was given
   */
  @Nullable Object context();

  /** {@return {@code flags}: bits of {@link CompletionFlag}; 0 if the queue's format has none} */
  long flags();

  /** {@return the operation that has ended, by the {@link #flags}} */
  default Operation operation() {
    return Operation.of(flags());
  }

  /** The kinds of operations, which fi_cq(3) gives as flags. */
  enum Operation {
    /** {@code FI_SEND}: a message was sent. */
    SEND,
    /**
     * {@code FI_RECV}: a message was received; or {@code FI_MULTI_RECV} alone: a buffer for several
     * messages was given back.
     */
    RECEIVE,
    /** {@code FI_READ}: remote memory was read. */
    READ,
    /** {@code FI_WRITE}: remote memory was written to. */
    WRITE,
    /** {@code FI_REMOTE_READ}: a peer read memory of this process. */
    REMOTE_READ,
    /** {@code FI_REMOTE_WRITE}: a peer wrote to memory of this process. */
    REMOTE_WRITE,
    /** No flag names an operation, as with {@link CompletionFormat#CONTEXT}. */
    UNKNOWN;

    /**
     * Returns the operation that the flags of a completion name. Allocates nothing, for use in a
     * {@link CompletionHandler}.
     *
     * @param flags bits of {@link CompletionFlag}
     * @return the operation
     */
    public static Operation of(long flags) {
      // Remote accesses first: libfabric may report one that used up a receive with FI_RECV too.
      if (has(flags, CompletionFlag.REMOTE_WRITE)) {
        return REMOTE_WRITE;
      }
      if (has(flags, CompletionFlag.REMOTE_READ)) {
        return REMOTE_READ;
      }
      if (has(flags, CompletionFlag.WRITE)) {
        return WRITE;
      }
      if (has(flags, CompletionFlag.READ)) {
        return READ;
      }
      if (has(flags, CompletionFlag.SEND)) {
        return SEND;
      }
      return has(flags, CompletionFlag.RECEIVE) || has(flags, CompletionFlag.MULTI_RECEIVE)
          ? RECEIVE
          : UNKNOWN;
    }

    private static boolean has(long flags, CompletionFlag flag) {
      return (flags & flag.mask()) != 0;
    }
  }

  /**
   * {@code struct fi_cq_tagged_entry}: an operation that succeeded. Equal to another one with equal
   * values.
   */
  final class Success implements Completion {
    private final @Nullable Object context;
    private final long flags;
    private final long length;
    private final long data;
    private final long tag;
    private final long source;

    private Success(Builder from) {
      context = from.context;
      flags = from.flags;
      length = from.length;
      data = from.data;
      tag = from.tag;
      source = from.source;
    }

    /**
     * Begins a success, for providers, and for handlers that keep completions. It has no bytes, no
     * data, tag 0 and an unknown source, unless the builder is given others.
     *
     * @param context the context of the operation, or null
     * @param flags bits of {@link CompletionFlag}
     * @return the builder
     */
    public static Builder of(@Nullable Object context, long flags) {
      return new Builder(context, flags);
    }

    /** Builds a success. For one thread at a time. */
    public static final class Builder {
      private final @Nullable Object context;
      private final long flags;
      private long length;
      private long data;
      private long tag;
      private long source = Handles.NOT_AVAILABLE;

      private Builder(@Nullable Object context, long flags) {
        this.context = context;
        this.flags = flags;
      }

      /**
       * Sets how many bytes were received.
       *
       * @param length the bytes
       * @return this
       */
      public Builder length(long length) {
        this.length = length;
        return this;
      }

      /**
       * Sets the immediate data.
       *
       * @param data the data
       * @return this
       */
      public Builder data(long data) {
        this.data = data;
        return this;
      }

      /**
       * Sets the tag of a tagged message, or the place in a buffer for several messages.
       *
       * @param tag the tag
       * @return this
       */
      public Builder tag(long tag) {
        this.tag = tag;
        return this;
      }

      /**
       * Sets the source.
       *
       * @param source a handle or user id
       * @return this
       */
      public Builder source(long source) {
        this.source = source;
        return this;
      }

      /** {@return the success} */
      public Success build() {
        return new Success(this);
      }

      /** The success as it is so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    @Override
    public @Nullable Object context() {
      return context;
    }

    @Override
    public long flags() {
      return flags;
    }

    /**
     * {@code len}: bytes received.
     *
     * @return the length; 0 for sends
     */
    public long length() {
      return length;
    }

    /**
     * {@code data}: immediate data, if {@link CompletionFlag#REMOTE_CQ_DATA} is set.
     *
     * @return the data; 0 if there is none
     */
    public long data() {
      return data;
    }

    /**
     * {@code tag}: the tag of a tagged message, or the place in a buffer for several messages.
     *
     * @return the tag; 0 if there is none
     */
    public long tag() {
      return tag;
    }

    /**
     * Returns the handle of the sender, or its user id; see fi_cq_readfrom(3).
     *
     * @return the source of a receive; {@link Handles#NOT_AVAILABLE} if it is unknown or not asked
     *     for
     */
    public long source() {
      return source;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Success success
          && Objects.equals(context, success.context)
          && flags == success.flags
          && length == success.length
          && data == success.data
          && tag == success.tag
          && source == success.source;
    }

    @Override
    public int hashCode() {
      return Objects.hash(context, flags, length, data, tag, source);
    }

    /** Returns all values, with the flags by their names. */
    @Override
    public String toString() {
      return "Success[" + text(this, length, data, tag, source) + "]";
    }
  }

  /**
   * {@code struct fi_cq_err_entry}: an operation that failed, or with {@link Errno#EADDRNOTAVAIL} a
   * message of an unknown sender. Equal to another one with equal values.
   */
  final class Failure implements Completion {
    private final @Nullable Object context;
    private final long flags;
    private final long length;
    private final long overflow;
    private final long data;
    private final long tag;
    private final long source;
    private final Errno errno;
    private final int providerErrno;
    private final byte[] errorData;
    private final String reason;

    private Failure(Builder from) {
      context = from.context;
      flags = from.flags;
      length = from.length;
      overflow = from.overflow;
      data = from.data;
      tag = from.tag;
      source = from.source;
      errno = from.errno;
      providerErrno = from.providerErrno;
      errorData = from.errorData;
      reason = from.reason;
    }

    /**
     * Begins a failure, for providers. It has no context and no flags, no bytes, no data, tag 0, an
     * unknown source and the errno as the provider's number, unless the builder is given others.
     *
     * @param errno the reason
     * @param reason the reason in words
     * @return what builds the failure
     */
    public static Builder of(Errno errno, String reason) {
      return new Builder(Arguments.required(errno, "errno"), Arguments.required(reason, "reason"));
    }

    /** Builds a failure. For one thread at a time. */
    public static final class Builder {
      private static final byte[] NONE = {};

      private final Errno errno;
      private final String reason;
      private @Nullable Object context;
      private long flags;
      private long length;
      private long overflow;
      private long data;
      private long tag;
      private long source = Handles.NOT_AVAILABLE;
      private int providerErrno;
      private byte[] errorData = NONE;

      private Builder(Errno errno, String reason) {
        this.errno = errno;
        this.reason = reason;
        providerErrno = errno.number();
      }

      /**
       * Sets the context of the operation.
       *
       * @param context the context, or null
       * @return this
       */
      public Builder context(@Nullable Object context) {
        this.context = context;
        return this;
      }

      /**
       * Sets the flags.
       *
       * @param flags bits of {@link CompletionFlag}
       * @return this
       */
      public Builder flags(long flags) {
        this.flags = flags;
        return this;
      }

      /**
       * Sets how many bytes were received.
       *
       * @param length the bytes
       * @return this
       */
      public Builder length(long length) {
        this.length = length;
        return this;
      }

      /**
       * Sets how many bytes did not fit.
       *
       * @param overflow the bytes
       * @return this
       */
      public Builder overflow(long overflow) {
        this.overflow = overflow;
        return this;
      }

      /**
       * Sets the immediate data.
       *
       * @param data the data
       * @return this
       */
      public Builder data(long data) {
        this.data = data;
        return this;
      }

      /**
       * Sets the tag.
       *
       * @param tag the tag
       * @return this
       */
      public Builder tag(long tag) {
        this.tag = tag;
        return this;
      }

      /**
       * Sets the source.
       *
       * @param source a handle or user id
       * @return this
       */
      public Builder source(long source) {
        this.source = source;
        return this;
      }

      /**
       * Sets the provider's own number of the error.
       *
       * @param providerErrno the number
       * @return this
       */
      public Builder providerErrno(int providerErrno) {
        this.providerErrno = providerErrno;
        return this;
      }

      /**
       * Sets the error data.
       *
       * @param errorData the bytes, which are copied
       * @return this
       */
      public Builder errorData(byte[] errorData) {
        this.errorData = Arguments.required(errorData, "errorData").clone();
        return this;
      }

      /** {@return the failure} */
      public Failure build() {
        return new Failure(this);
      }

      /** The failure as it is so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    @Override
    public @Nullable Object context() {
      return context;
    }

    @Override
    public long flags() {
      return flags;
    }

    /** {@return {@code err}: the reason} */
    public Errno errno() {
      return errno;
    }

    /** {@return the reason in words} */
    public String reason() {
      return reason;
    }

    /** {@return {@code prov_errno}: a number of the provider's own} */
    public int providerErrno() {
      return providerErrno;
    }

    /** {@return {@code len}: bytes received before the operation failed; 0 for sends} */
    public long length() {
      return length;
    }

    /** {@return {@code olen}: bytes that did not fit into the buffer} */
    public long overflow() {
      return overflow;
    }

    /** {@return {@code data}: immediate data; 0 if there is none} */
    public long data() {
      return data;
    }

    /** {@return {@code tag}: the tag of a tagged message; 0 if there is none} */
    public long tag() {
      return tag;
    }

    /**
     * {@code src_addr}: the handle of the sender, or its user id.
     *
     * @return the source; {@link Handles#NOT_AVAILABLE} if it is unknown. Of an unknown sender,
     *     {@link Handles#NOT_AVAILABLE} or the handle or user id of the authorization key that it
     *     used
     */
    public long source() {
      return source;
    }

    /**
     * {@code err_data}: with {@link Errno#EADDRNOTAVAIL} the packed address of the sender, ready to
     * be inserted.
     *
     * @return the bytes, a copy; none for other errors
     */
    public byte[] errorData() {
      return errorData.clone();
    }

    /**
     * The sender's address of a message from an unknown sender.
     *
     * @param format the format of the vector
     * @return the address, ready to be inserted
     * @throws FabricException with {@link Errno#EINVAL} if the failure carries no address: it is
     *     there with {@link Errno#EADDRNOTAVAIL} only
     */
    public FabricAddress senderAddress(AddressFormat format) {
      if (errno != Errno.EADDRNOTAVAIL) {
        throw new FabricException(
            Errno.EINVAL,
            "the failure is " + errno + ", which carries no address: only EADDRNOTAVAIL does");
      }
      return FabricAddress.of(format, errorData);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Failure failure
          && Objects.equals(context, failure.context)
          && flags == failure.flags
          && length == failure.length
          && overflow == failure.overflow
          && data == failure.data
          && tag == failure.tag
          && source == failure.source
          && errno == failure.errno
          && providerErrno == failure.providerErrno
          && Arrays.equals(errorData, failure.errorData)
          && reason.equals(failure.reason);
    }

    @Override
    public int hashCode() {
      return Objects.hash(context, flags, length, data, tag, source, errno, reason);
    }

    /** Returns all values, with flags and errno by name and the error data in hexadecimal. */
    @Override
    public String toString() {
      return "Failure["
          + text(this, length, data, tag, source)
          + (", overflow=" + overflow)
          + (", errno=" + errno + " (" + errno.number() + "), providerErrno=" + providerErrno)
          + (", errorData=" + HexFormat.of().formatHex(errorData) + ", reason=" + reason + "]");
    }
  }

  /** Values that successes and failures both have, as text. */
  private static String text(Completion of, long length, long data, long tag, long source) {
    return "context="
        + of.context()
        + (", flags=" + Flag.names(CompletionFlag.class, of.flags()) + ", length=" + length)
        + (", data=" + data + ", tag=0x" + Long.toHexString(tag))
        + (", source="
            + (source == Handles.NOT_AVAILABLE ? "unknown" : Long.toUnsignedString(source)));
  }
}
