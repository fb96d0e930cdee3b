// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.SearchFlags;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.Offsets;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The receives of an endpoint: those that libfabric has, those that wait behind {@linkplain
 * SeveralMessages buffers for several messages}, and messages that were {@linkplain Claims put
 * aside}. A receive whose only source has gone takes no message any more, and stays until it is
 * withdrawn. The lock of the domain guards all.
 */
final class NativeReceiver extends NativeDirection implements Receiver {
  private static final byte[] NOTHING = {};
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long PUTS_ASIDE = PEEK | CLAIM;
  private static final long DROPS_CLAIMED = Flag.maskOf(TransferFlag.CLAIM, TransferFlag.DISCARD);

  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();
  private static final long WRITTEN = CompletionFlag.REMOTE_WRITE.mask();
  private static final long ACCESS = CompletionFlag.RMA.mask();

  private final FabricInfo info;
  final SeveralMessages several;
  private final Claims claims = new Claims();
  private final MessageSource source = new MessageSource();
  private final Operations<Arrival> arrivals = new Operations<>();

  NativeReceiver(NativeTransport endpoint, Completions completions, EndpointOpening opening) {
    super(endpoint, completions, opening.info(), opening.info().receive().size());
    info = opening.info();
    several = new SeveralMessages(this::postWaiting, opening.minMultiReceive());
  }

  // Posting.

  @Override
  public @Nullable Operation take(
      boolean tagged, long from, boolean directed, long flags, @Nullable Object context) {
    checkTags(tagged);
    if ((flags & SearchFlags.ALL) != 0) {
      checkSearch(tagged, flags);
    }
    if (outstanding.get() >= size) {
      return null;
    }
    NativeOperation receive = (flags & PUTS_ASIDE) == CLAIM ? claims.take(context) : null;
    if (receive == null) {
      receive = begun(CounterFlag.RECEIVE, tagged);
    } else {
      receive.number = endpoint.nextNumber();
      receive.begin(CounterFlag.RECEIVE, tagged);
      outstanding.add(1);
    }
    if (directed && !receive.claims) {
      try {
        peers.direct(receive, from);
      } catch (RuntimeException | Error refused) {
        giveBack(receive);
        throw refused;
      }
    }
    return receive;
  }

  /** Refuses to search for a message, or to take one that was found, where fabrics cannot. */
  private void checkSearch(boolean tagged, long flags) {
    if (!tagged) {
      throw unsupported(
          "libfabric looks for tagged messages only: have the message sent with a tag, or receive"
              + " it");
    }
    if ((flags & CLAIM) != 0 && info.endpoint().type() == EndpointType.MSG) {
      throw unsupported(
          "%s has one peer: take what PEEK has found with an ordinary receive".formatted(endpoint));
    }
    String fault = domain.searchFault(flags);
    if (fault != null) {
      throw unsupported(
          "%s of libfabric %s %s"
              .formatted(info.fabric().provider(), domain.library.versionText(), fault));
    }
    if ((flags & PUTS_ASIDE) == PUTS_ASIDE) {
      claims.checkRoom(size);
    }
  }

  @Override
  public boolean post(Operation taken) {
    NativeOperation receive = (NativeOperation) taken;
    boolean claiming = receive.claims;
    try {
      FabricException over = peers.cutOff(false);
      if (over != null || ((receive.flags & PUTS_ASIDE) == CLAIM && !claiming)) {
        fail(receive, over == null ? Claims.none() : over);
        return true;
      }
      if (!SearchFlags.leavesMemory(receive.flags)) {
        // More than a message has is refused by some fabrics.
        memory.reserve(receive, receive.takesSeveral() ? Long.MAX_VALUE : maxMessage);
      }
      if (several.precede(receive)) {
        several.add(receive);
        return true;
      }
      int errno = call(receive);
      if (errno == Constants.TRY_AGAIN) {
        giveUp(receive);
        return false;
      }
      if (claiming && errno == -Errno.ENOMSG.number()) {
        fail(receive, Claims.none());
      } else if (errno < 0) {
        throw refused(receive, errno);
      } else {
        several.posted(receive);
      }
    } catch (RuntimeException | Error refused) {
      giveUp(receive);
      throw refused;
    }
    if ((receive.flags & SearchFlags.ALL) != 0) {
      // It has ended already, and not all fabrics tell those who wait.
      endpoint.changed();
    }
    return true;
  }

  /** Gives a receive back that is not posted; a message that it claims stays aside. */
  private void giveUp(NativeOperation receive) {
    if (receive.claims) {
      memory.release(receive);
      claims.putBack(receive);
      outstanding.add(-1);
    } else {
      giveBack(receive);
    }
  }

  /** Posts a receive that had to wait, or fails it; false if libfabric cannot take it yet. */
  private boolean postWaiting(NativeOperation receive) {
    int errno =
        !endpoint.isClosed() && peers.cutOff(false) == null ? call(receive) : Constants.TRY_AGAIN;
    if (errno == Constants.TRY_AGAIN) {
      return false;
    }
    if (errno < 0) {
      fail(receive, refused(receive, errno));
    } else {
      several.posted(receive);
    }
    return true;
  }

  private int call(NativeOperation receive) {
    return calls.receive(receive, space(receive));
  }

  /** How long a message may be that fits into a receive, as far as it is not filled. */
  private long space(NativeOperation receive) {
    return Math.min(receive.size - receive.filled, maxMessage);
  }

  // Receives that end without a message.

  @Override
  public boolean cancel(@Nullable Object context) {
    NativeOperation first = outstanding.get() == 0 ? null : first(context);
    return first != null && peers.cutOff(false) == null && withdraw(first);
  }

  /** The receive that was posted first with a context, and is not withdrawn; null if none is. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  private @Nullable NativeOperation first(@Nullable Object context) {
    NativeOperation first = null;
    for (NativeOperation each : domain.contexts.all()) {
      if (each.owner == this
          && !each.claimed
          && !each.ended
          && each.context == context
          && !each.withdrawn
          && (first == null || each.number < first.number)) {
        first = each;
      }
    }
    return first;
  }

  /** Has libfabric give back a receive; false if it does not have it any more. */
  private boolean withdraw(NativeOperation receive) {
    receive.orphaned = receive.orphaned || several.takeBack(receive);
    if (receive.orphaned) {
      receive.withdrawn = true;
      fail(receive, new FabricException(Errno.ECANCELED, WITHDRAWN));
      return true;
    }
    receive.withdrawn = receive.withdrawn || receive.severed || calls.cancel(receive);
    return receive.withdrawn;
  }

  @Override
  public void sourceGone(NativeOperation receive) {
    if (several.takeBack(receive)) {
      receive.severed = true;
      receive.orphaned = true;
      several.ended(receive);
      return;
    }
    receive.severed = receive.severed || (!receive.withdrawn && calls.cancel(receive));
  }

  /** Has libfabric drop the messages that were put aside, as far as it can, at the end. */
  void dropClaims() {
    for (NativeOperation each = claims.poll(); each != null; each = claims.poll()) {
      outstanding.add(1);
      each.flags = DROPS_CLAIMED;
      if (domain.searchFault(DROPS_CLAIMED) == null) {
        // A message that it does not drop goes with the endpoint.
        call(each);
      }
    }
  }

  // Receives that end with a message.

  @Override
  void carriedOut(NativeOperation receive, long entry, long from) {
    // Of a message that is dropped some fabrics do not know the length any more.
    long length =
        (receive.flags & SearchFlags.ALL) == DROPS_CLAIMED
            ? receive.found
            : RawMemory.getLong(entry + Offsets.CQ_ENTRY_LEN);
    boolean buffer = receive.takesSeveral();
    receive.receivedTag =
        buffer
            ? receive.filled
            : receive.tagged ? RawMemory.getLong(entry + Offsets.CQ_ENTRY_TAG) : 0;
    if (!SearchFlags.leavesMemory(receive.flags)) {
      long space = space(receive);
      String unusable = OperationMemory.copyOut(receive, Math.min(length, space));
      if (unusable != null) {
        receive.fail(Errno.EINVAL, "the memory of the operation " + unusable);
      } else if (length > space) {
        receive.fail(
            Errno.ETRUNC,
            space,
            length - space,
            NOTHING,
            "a message of %s bytes came for a buffer of %s".formatted(length, space));
      }
      if (receive.failure != null) {
        end(receive);
        return;
      }
    }
    long data = RawMemory.getLong(entry + Offsets.CQ_ENTRY_FLAGS) & DATA;
    long received = data == 0 ? 0 : RawMemory.getLong(entry + Offsets.CQ_ENTRY_DATA);
    boolean aside = (receive.flags & SearchFlags.ALL) == PUTS_ASIDE;
    if (aside || (buffer && several.takesMore(receive, length))) {
      Arrival arrival = arrival();
      arrival.counted = true;
      arrival.context = receive.context;
      arrival.asked = receive.asked;
      arrival.receivedTag = receive.receivedTag;
      fill(arrival, receive.completionFlags | data, length, received, from);
      completions.report(arrival);
      if (aside) {
        outstanding.add(-1);
        claims.putAside(receive, receive.receivedTag, length);
      } else {
        several.postAgain();
      }
      return;
    }
    receive.endSeveral();
    fill(receive, receive.completionFlags | data, length, received, from);
    end(receive);
  }

  private void fill(Operation into, long flags, long length, long data, long from) {
    into.completionFlags = flags;
    into.length = length;
    into.receivedData = data;
    if (domain.reportsSources) {
      peers.source(from, source);
      into.source = source.reported();
    }
  }

  private Arrival arrival() {
    Arrival idle = arrivals.poll();
    return idle == null ? new Arrival(arrivals::add) : idle;
  }

  /** A peer has written to memory here, with data; false if the entry does not say that. */
  boolean writtenTo(long entry) {
    long flags = RawMemory.getLong(entry + Offsets.CQ_ENTRY_FLAGS);
    if ((flags & WRITTEN) == 0 || (flags & DATA) == 0) {
      return false;
    }
    Arrival arrival = arrival();
    arrival.asked = true;
    arrival.completionFlags = ACCESS | WRITTEN | DATA;
    arrival.length = RawMemory.getLong(entry + Offsets.CQ_ENTRY_LEN);
    arrival.receivedData = RawMemory.getLong(entry + Offsets.CQ_ENTRY_DATA);
    completions.report(arrival);
    return true;
  }

  /** Reports a receive that has ended, and posts those that have waited for it. */
  @Override
  void end(NativeOperation receive) {
    super.end(receive);
    several.ended(receive);
  }

  /** Whether something waits to be posted. */
  boolean isDue() {
    return several.isDue();
  }

  /** Posts what waits, as far as libfabric takes it, and reports what found no space before. */
  void progress() {
    completions.reportKept();
    if (several.isDue()) {
      several.post();
    }
  }
}
