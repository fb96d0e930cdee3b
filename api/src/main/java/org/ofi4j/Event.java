package org.ofi4j;

import org.jspecify.annotations.Nullable;

/** What an event queue delivers, fi_eq(3). */
public sealed interface Event {
  /**
   * {@code fid}: the object that the event is about.
   *
   * @return the object; it may have been closed meanwhile
   */
  FabricObject source();

  /**
   * {@code context} of the call that the event belongs to.
   *
   * @return the context, or null when none was given
   */
  @Nullable Object context();

  /**
   * {@code data}.
   *
   * @return a number whose meaning depends on the event
   */
  long data();

  /**
   * {@code FI_AV_COMPLETE}: an asynchronous insertion has ended; all its failures came before.
   *
   * @param source the address vector
   * @param context the insertion's context
   * @param data how many addresses it inserted
   */
  record InsertionComplete(FabricObject source, @Nullable Object context, long data)
      implements Event {
    /** {@code FI_AV_COMPLETE} as a number. */
    public static final int CODE = 5;
  }

  /**
   * {@code struct fi_eq_err_entry}: something failed, for an insertion one address.
   *
   * @param source the object, for an insertion the address vector
   * @param context the operation's context
   * @param data for an insertion the address's position within its call, from 0
   * @param errno why
   * @param providerErrno {@code prov_errno}: a number of the provider's own
   * @param reason why, in words
   */
  record Failure(
      FabricObject source,
      @Nullable Object context,
      long data,
      Errno errno,
      int providerErrno,
      String reason)
      implements Event {
    /**
     * What the man page also calls {@link #data}: which address of the call failed.
     *
     * @return the position, from 0
     */
    public long index() {
      return data;
    }
  }
}
