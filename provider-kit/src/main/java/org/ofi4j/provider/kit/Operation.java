// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.RemotePlace;

/**
 * One operation, from being posted until its completion is in a queue: first the request of the
 * application, which the kit has checked and filled in; then how it ended, which the transport
 * fills in before {@link Completions#report}. A transport extends it with what it has to remember.
 *
 * <p>Operations are used again, so that posting allocates nothing. An operation is in at most one
 * list of {@link Operations}. The lock of the transmitter or receiver guards it.
 */
public abstract class Operation {
  private static final byte[] NONE = {};

  private static final long MESSAGE = CompletionFlag.MSG.mask();
  private static final long TAGGED = CompletionFlag.TAGGED.mask();
  private static final long ACCESS = CompletionFlag.RMA.mask();

  /** The next one in its list. */
  public @Nullable Operation next;

  /** Takes it back when it was reported; null if its transport does. */
  @Nullable OperationPool<?> pool;

  // The request.

  /** The kind: {@code SEND}, {@code RECEIVE}, {@code READ} or {@code WRITE}. */
  public CounterFlag what = CounterFlag.SEND;

  /** Whether a message has a tag. */
  public boolean tagged;

  /** The memory that is sent or written, or that takes a message or the bytes that are read. */
  public final Pieces memory = new Pieces();

  /** The handle of the destination, of the source of a read, or of the only source of a receive. */
  public long peer;

  /** Bits of {@link org.ofi4j.TransferFlag}, which the kit has checked. */
  public long flags;

  /** The tag of a message; of a receive the tag that it takes, but for the bits to ignore. */
  public long tag;

  /** The bits of the tag that a receive does not look at. */
  public long ignore;

  /** Immediate data, if the flags say that there is some. */
  public long data;

  /** The context of the application, which its completion has. */
  public @Nullable Object context;

  /** Whether the application may change or free the memory when the posting call returns. */
  public boolean inject;

  /** Whether a success is not reported, whatever the queue is. */
  public boolean silent;

  /** Whether the application asks for a completion in a queue that reports selectively. */
  public boolean asked;

  /** The address and key of the memory of the peer, if that is one place. */
  public long remoteAddress;

  /** The key of the memory of the peer, if that is one place. */
  public long remoteKey;

  /** The places in the memory of the peer, if there are several. */
  public RemotePlace @Nullable [] places;

  // The completion.

  /** Bits of {@link CompletionFlag}. */
  public long completionFlags;

  /** The length of a received message, in bytes. */
  public long length;

  /** The tag of a received message. */
  public long receivedTag;

  /** The immediate data of a received message or of a write of a peer. */
  public long receivedData;

  /** The source of a received message as {@link MessageSource#reported} returns it. */
  public long source = Handles.NOT_AVAILABLE;

  /** Null if it has succeeded. */
  public Completion.@Nullable Failure failure;

  /** An idle operation. */
  protected Operation() {}

  /**
   * Becomes an operation of a kind.
   *
   * @param kind {@code SEND}, {@code RECEIVE}, {@code READ} or {@code WRITE}; {@code REMOTE_WRITE}
   *     reports a write of a peer
   * @param withTag whether it is of a tagged message
   */
  public void begin(CounterFlag kind, boolean withTag) {
    what = kind;
    tagged = withTag;
    completionFlags =
        kind.mask()
            | switch (kind) {
              case SEND, RECEIVE -> withTag ? TAGGED : MESSAGE;
              default -> ACCESS;
            };
  }

  /**
   * Returns whether the flags of the request have one of these bits.
   *
   * @param flag a flag of one bit or of several
   * @return true if one bit is set
   */
  public final boolean has(Flag flag) {
    return (flags & flag.mask()) != 0;
  }

  /**
   * Records a failure.
   *
   * @param errno the kind of error
   * @param received the bytes that are in memory
   * @param overflow the bytes of the message that are not
   * @param errorData more about the error, such as the address of a sender
   * @param reason the error in words
   */
  public void fail(Errno errno, long received, long overflow, byte[] errorData, String reason) {
    failure =
        Completion.Failure.of(errno, reason)
            .context(context)
            .flags(completionFlags)
            .length(received)
            .overflow(overflow)
            .data(receivedData)
            .tag(receivedTag)
            .source(source)
            .errorData(errorData)
            .build();
  }

  /**
   * Records a failure, with nothing received.
   *
   * @param errno the kind of error
   * @param reason the error in words
   */
  public void fail(Errno errno, String reason) {
    fail(errno, 0, 0, NONE, reason);
  }

  /**
   * Returns the kind of operation that it counts as.
   *
   * @return the kind; null if it is not counted
   */
  protected @Nullable CounterFlag counted() {
    return what;
  }

  /**
   * Returns the number of bytes that a success has moved.
   *
   * @return the number of bytes
   */
  protected long moved() {
    return what == CounterFlag.RECEIVE ? length : memory.length();
  }

  /**
   * The operation has been reported or is not reported, and becomes idle in its {@link
   * OperationPool}, if it has one: called just before the application can see the completion, after
   * which it may post again.
   */
  protected void reported() {
    OperationPool<?> from = pool;
    if (from != null) {
      from.giveBackReported(this);
    }
  }

  /** Lets go of all that it refers to. A subclass clears its own fields and calls this. */
  public void clear() {
    next = null;
    memory.clear();
    peer = 0;
    flags = 0;
    tag = 0;
    ignore = 0;
    data = 0;
    context = null;
    inject = false;
    silent = false;
    asked = false;
    remoteAddress = 0;
    remoteKey = 0;
    places = null;
    completionFlags = 0;
    length = 0;
    receivedTag = 0;
    receivedData = 0;
    source = Handles.NOT_AVAILABLE;
    failure = null;
  }
}
