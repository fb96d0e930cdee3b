// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Fields;

/**
 * Bounds of messages that come before a receive is posted for them: how much of them an endpoint
 * keeps, and which messages it announces to peers rather than sending them. If a bound is reached,
 * the endpoint does not read from the connection of the message until receives have taken others; a
 * line in the log and an event of Flight Recorder report it.
 *
 * <p>Immutable; each {@code with} method returns a changed copy. It throws {@link FabricException}
 * with {@link Errno#EINVAL} for a number out of its range.
 */
public final class EarlyMessages {
  /** Bytes that are kept of the messages of a peer that is not in the address vector. */
  public static final long STRANGER = 1L << 20;

  private static final long LEAST = 1L << 12;
  private static final long MOST_PER_PEER = 1L << 30;
  private static final long MOST_IN_ALL = 1L << 40;
  private static final long MOST_ANNOUNCED = 1L << 62;
  private static final EarlyMessages DEFAULTS = new EarlyMessages(new Values());

  private final Values values;

  private EarlyMessages(Values values) {
    this.values = values;
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new FabricException(
          Errno.EINVAL, name + " " + value + ": give from " + least + " to " + most + " bytes");
    }
  }

  /**
   * {@return the bounds that hold unless the application sets others: 64 MiB for each peer, 128 MiB
   * in all; messages of more than 1 MiB are announced to endpoints of ofi4j, none to programs on
   * libfabric}
   */
  public static EarlyMessages defaults() {
    return DEFAULTS;
  }

  /** {@return the bytes that are kept of the messages of one peer} */
  public long perPeer() {
    return values.perPeer;
  }

  /**
   * {@return a copy with another bound for each peer}
   *
   * @param bytes how much is kept of the messages of one peer in the address vector, from 4,096 to
   *     2<sup>30</sup>. Each message counts as 4,096 bytes at least. Of a peer that is not in the
   *     vector no more than {@value #STRANGER} are kept
   */
  public EarlyMessages withPerPeer(long bytes) {
    check("perPeer", bytes, LEAST, MOST_PER_PEER);
    return with(copy -> copy.perPeer = bytes);
  }

  /** {@return the bytes that are kept of the messages of all peers} */
  public long inAll() {
    return values.inAll;
  }

  /**
   * {@return a copy with another bound for all peers}
   *
   * @param bytes how much is kept of the messages of all peers, from 4,096 to 2<sup>40</sup>. All
   *     peers that are not in the vector together have a quarter of it
   */
  public EarlyMessages withInAll(long bytes) {
    check("inAll", bytes, LEAST, MOST_IN_ALL);
    return with(copy -> copy.inAll = bytes);
  }

  /** {@return the size above which messages are announced to endpoints of ofi4j} */
  public long announced() {
    return values.announced;
  }

  /**
   * {@return a copy with another size above which tagged messages are announced to endpoints of
   * ofi4j} The peer keeps the announcement alone, and asks for the message when a receive takes it.
   *
   * @param bytes from 0 to 2<sup>62</sup>
   */
  public EarlyMessages withAnnounced(long bytes) {
    check("announced", bytes, 0, MOST_ANNOUNCED);
    return with(copy -> copy.announced = bytes);
  }

  /** {@return the size above which messages are announced to programs on libfabric} */
  public long announcedToLibfabric() {
    return values.announcedToLibfabric;
  }

  /**
   * {@return a copy with another size above which tagged messages are announced to programs on
   * libfabric from 1.20 on} Such a program crashes if it looks for an announced message with {@code
   * FI_PEEK} and {@code FI_CLAIM} or {@code FI_DISCARD}. A program that sets {@code
   * FI_TCP_MAX_SAVED_SIZE} keeps no larger messages and does not read past them: give that number
   * here.
   *
   * @param bytes from 0 to 2<sup>62</sup>
   */
  public EarlyMessages withAnnouncedToLibfabric(long bytes) {
    check("announcedToLibfabric", bytes, 0, MOST_ANNOUNCED);
    return with(copy -> copy.announcedToLibfabric = bytes);
  }

  private EarlyMessages with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new EarlyMessages(copy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EarlyMessages options && options.values.all().equals(values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** {@return the fields that differ from those of {@link #defaults}} */
  @Override
  public String toString() {
    return values.text("EarlyMessages", DEFAULTS.values.all());
  }

  private static final class Values extends Fields<Values> {
    private long perPeer = 1L << 26;
    private long inAll = 1L << 27;
    private long announced = 1L << 20;
    private long announcedToLibfabric = MOST_ANNOUNCED;

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("perPeer", perPeer);
      to.put("inAll", inAll);
      to.put("announced", announced);
      to.put("announcedToLibfabric", announcedToLibfabric);
    }
  }
}
