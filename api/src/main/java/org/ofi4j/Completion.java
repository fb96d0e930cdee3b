// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a completion queue delivers, fi_cq(3), one object each; see {@link CompletionHandler} for
 * none.
 */
public sealed interface Completion {
  /**
   * {@code op_context}: the context of the operation.
   *
   * @return the context, or null when none was given
   */
  @Nullable Object context();

  /** {@return what the completion is about, bits of {@link CompletionFlag}} */
  long flags();

  /**
   * {@code len}: bytes received.
   *
   * @return the length; 0 for sends
   */
  long length();

  /**
   * {@code data}: immediate data, if flags say so.
   *
   * @return the data; 0 if there is none
   */
  long data();

  /**
   * {@code tag}: the tag of a tagged message, or the place in a buffer for several messages.
   *
   * @return the tag; 0 if there is none
   */
  long tag();

  /**
   * The handle of the sender, or its user id; see fi_cq_readfrom(3).
   *
   * @return the source of a receive; {@link Handles#NOT_AVAILABLE} if it is unknown or not asked
   *     for
   */
  long source();

  /**
   * {@code struct fi_cq_tagged_entry}: an operation that succeeded.
   *
   * @param context the operation's context
   * @param flags bits of {@link CompletionFlag}
   * @param length bytes received
   * @param data immediate data, if flags say so
   * @param tag the tag of a tagged message
   * @param source the sender's handle or user id
   */
  record Success(
      @Nullable Object context, long flags, long length, long data, long tag, long source)
      implements Completion {
    /** All that there is to say, with the flags by their names. */
    @Override
    public String toString() {
      return "Success[" + CompletionText.common(this, data, tag) + "]";
    }
  }

  /**
   * {@code struct fi_cq_err_entry}: an operation that failed, or with {@link Errno#EADDRNOTAVAIL} a
   * message of an unknown sender.
   *
   * @param context the operation's context
   * @param flags bits of {@link CompletionFlag}
   * @param length bytes received
   * @param overflow {@code olen}: bytes that did not fit
   * @param data immediate data, if flags say so
   * @param tag the tag of a tagged message
   * @param source the sender's handle or user id; of an unknown sender {@link
   *     Handles#NOT_AVAILABLE}, or the handle or user id of the authorization key that it used
   * @param errno why
   * @param providerErrno {@code prov_errno}: a number of the provider's own
   * @param errorData {@code err_data}: for {@link Errno#EADDRNOTAVAIL} the sender's packed address,
   *     ready to be inserted
   * @param reason why, in words
   */
  record Failure(
      @Nullable Object context,
      long flags,
      long length,
      long overflow,
      long data,
      long tag,
      long source,
      Errno errno,
      int providerErrno,
      byte[] errorData,
      String reason)
      implements Completion {
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

    /** All that there is to say, with flags and errno by name and the error data in hexadecimal. */
    @Override
    public String toString() {
      return "Failure["
          + CompletionText.common(this, data, tag)
          + (", overflow=" + overflow)
          + (", errno=" + errno + " (" + errno.number() + "), providerErrno=" + providerErrno)
          + (", errorData=" + HexFormat.of().formatHex(errorData) + ", reason=" + reason + "]");
    }
  }
}
