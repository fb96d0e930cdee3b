// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Buffer;

/**
 * One operation with its context block, by which libfabric knows it: from being posted until it is
 * reported; used again for another one. Guarded by the lock of the domain.
 */
final class NativeOperation extends Operation {
  /** The direction of an endpoint that has taken an operation, and reports its end. */
  interface Owner {
    /** Carried out, as an entry of a queue says, which may name a source. */
    void succeeded(NativeOperation operation, long entry, long from);

    /**
     * Ended with an error, as an entry of a queue says.
     *
     * @param words what the fabric says of the error
     */
    void failed(NativeOperation operation, long entry, @Nullable String words);

    /** Fails an operation that libfabric does not have. */
    void fail(NativeOperation operation, FabricException reason);

    /** The entry has gone that a receive is directed at: it takes no message any more. */
    default void sourceGone(NativeOperation receive) {}

    /** Lets go of all that an operation has, and makes it idle. */
    void giveBack(NativeOperation operation);
  }

  private static final long SEVERAL = TransferFlag.MULTI_RECEIVE.mask();

  /** The address of the context block. */
  final long block;

  /** The number of the operation among those of its endpoint, in the order of posting. */
  long number;

  /** The direction of an endpoint; null while the operation is idle. */
  @Nullable Owner owner;

  /** The peer of the handle; null if a receive takes messages of any sender. */
  @Nullable Peer to;

  /** The memory that libfabric reads or fills, and what the operation brings along for it. */
  long address;

  long descriptor;

  /** The number of its bytes. */
  long size;

  /** The copy that this memory is, or the application's memory that it is part of. */
  @Nullable Buffer buffer;

  @Nullable NativeMemory direct;

  /** How many bytes of a buffer for several messages have messages in them. */
  long filled;

  /** The peers of the only source of a receive; null if it takes messages of any sender. */
  @Nullable Destinations directed;

  /** The generation of the entry of that source. */
  long generation;

  /** Whether the operation has ended: it is reported or about to be. */
  boolean ended;

  /** Whether a receive was withdrawn, and has not ended yet. */
  boolean withdrawn;

  /**
   * Whether libfabric was told to give a receive back, because the entry of its source has gone.
   */
  boolean severed;

  /** Whether libfabric has given it back: no message comes any more, but it was not withdrawn. */
  boolean orphaned;

  /** Whether this is done, and keeps its block for the message that it has put aside. */
  boolean claimed;

  /** Whether it is posted again to take the message that it had put aside. */
  boolean claims;

  /** The length and tag of that message. */
  long found;

  long foundTag;

  NativeOperation(long block) {
    this.block = block;
  }

  /** Returns whether libfabric has it, or is to get it. */
  boolean isPosted() {
    return owner != null && !ended;
  }

  /** Returns whether a receive takes several messages. */
  boolean takesSeveral() {
    return what == CounterFlag.RECEIVE && (flags & SEVERAL) != 0;
  }

  @Override
  public void fail(Errno errno, long received, long overflow, byte[] errorData, String reason) {
    endSeveral();
    super.fail(errno, received, overflow, errorData, reason);
  }

  /** Records a failure as libfabric reports it. */
  void fail(int errno, int providerErrno, long received, long overflow, String reason) {
    endSeveral();
    failure =
        Completion.Failure.of(Errno.of(errno), reason)
            .context(context)
            .flags(completionFlags)
            .length(received)
            .overflow(overflow)
            .tag(receivedTag)
            .providerErrno(providerErrno == 0 ? errno : providerErrno)
            .build();
  }

  /** Takes no more messages: the completion of a buffer for several is its last one. */
  void endSeveral() {
    if (takesSeveral()) {
      completionFlags |= CompletionFlag.MULTI_RECEIVE.mask();
      asked = true;
    }
  }

  @Override
  protected void reported() {
    Owner direction = owner;
    if (direction != null) {
      direction.giveBack(this);
    }
  }

  @Override
  public void clear() {
    super.clear();
    owner = null;
    to = null;
    address = 0;
    descriptor = 0;
    size = 0;
    buffer = null;
    direct = null;
    filled = 0;
    directed = null;
    generation = 0;
    ended = false;
    withdrawn = false;
    severed = false;
    orphaned = false;
    claimed = false;
    claims = false;
    found = 0;
    foundTag = 0;
  }
}
