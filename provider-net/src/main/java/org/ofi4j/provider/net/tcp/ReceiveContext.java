package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.TryAgainException;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.Sources;

/**
 * What receives go through: those that are posted, messages that came before them, and the
 * completion queue that they end in. Guarded by the lock of the endpoint.
 */
final class ReceiveContext extends Outcomes<Receive> {
  private static final long MESSAGE = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.RECEIVE);
  private static final long TAGGED = Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.RECEIVE);
  private static final long WRITTEN =
      Flag.maskOf(CompletionFlag.RMA, CompletionFlag.REMOTE_WRITE, CompletionFlag.REMOTE_CQ_DATA);
  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();
  private static final long RELEASED = CompletionFlag.MULTI_RECEIVE.mask();
  private static final byte[] NONE = {};

  private final @Nullable CoreAddressVector vector;
  private final Sources sources;
  private final int size;
  private final TryAgainException full;
  private final Operations<Receive> idle = new Operations<>();
  private final MessageSource source = new MessageSource();

  // Receives that are posted or have not been reported, without shares, and shares.
  private int taken;
  private int shares;

  // Those that say what peers have written, and have not been reported.
  private int notices;

  /** What must be left of a buffer for several messages for it to take another one. */
  long minMultiReceive = TcpLimits.MIN_MULTI_RECEIVE;

  /** A message found its receive, but too many shares of buffers have not been reported yet. */
  boolean starved;

  final PostedReceives posted;
  final UnexpectedMessages unexpected;

  /**
   * A context without receives.
   *
   * @param vector tells who sends, or null where that is not asked
   * @param directed whether receives may be directed at a sender
   */
  ReceiveContext(
      Binding binding,
      @Nullable CoreAddressVector vector,
      Sources sources,
      int size,
      boolean directed) {
    super(binding);
    this.vector = vector;
    this.sources = sources;
    this.size = size;
    posted = new PostedReceives(vector == null ? handle -> Receive.UNDIRECTED : vector::life);
    unexpected = new UnexpectedMessages(directed);
    full =
        new TryAgainException(
            "the receive queue is full with " + size + " buffers: read completions, then post");
  }

  /** A receive to be filled in; throws if all are posted. */
  Receive take(boolean tagged) {
    if (taken == size) {
      throw full;
    }
    Receive receive = idle();
    taken++;
    receive.key.tagged = tagged;
    receive.flags = tagged ? TAGGED : MESSAGE;
    return receive;
  }

  private Receive idle() {
    Receive receive = idle.poll();
    return receive == null ? new Receive() : receive;
  }

  /** Whether more can be said of what peers write. */
  boolean hasNotices() {
    return notices < TcpLimits.NOTICES;
  }

  /** A completion for what a peer writes to our memory; null if too many wait already. */
  @Nullable Receive takeNotice(long payload, long data) {
    if (!hasNotices()) {
      return null;
    }
    Receive notice = idle();
    notices++;
    notice.notice = true;
    notice.flags = WRITTEN;
    notice.room = payload;
    notice.data = data;
    return notice;
  }

  /** Whether messages can have shares of buffers. */
  boolean hasShares() {
    return shares < size;
  }

  /** Takes the receive that a message goes to; null if none is posted, or it must wait. */
  @Nullable Receive match(MatchKey key, long payload, boolean hasData, long data) {
    Receive receive = starved && !key.tagged ? null : posted.match(key);
    if (receive == null) {
      return null;
    }
    Receive found = receive;
    if (!receive.several) {
      posted.remove(receive);
    } else if (hasShares()) {
      found = share(receive, payload);
    } else {
      starved = true;
      return null;
    }
    expect(found, key.tag, hasData, data);
    return found;
  }

  /** The next part of a buffer for several messages. */
  private Receive share(Receive whole, long payload) {
    Receive share = idle();
    shares++;
    share.whole = whole;
    share.flags = whole.flags;
    share.context = whole.context;
    share.silent = whole.silent;
    share.buffer.set(whole.buffer.at(0));
    share.start = whole.used;
    share.room = Math.min(payload, whole.room - whole.used);
    // Untagged messages have no other use for it.
    share.tag = share.start;
    whole.used += share.room;
    whole.shares++;
    if (whole.room - whole.used < minMultiReceive) {
      posted.remove(whole);
      whole.spent = true;
    }
    return share;
  }

  /** Notes what is known of the message that a receive takes. */
  static void expect(Receive receive, long tag, boolean hasData, long data) {
    if (receive.key.tagged) {
      receive.tag = tag;
    }
    receive.data = data;
    if (hasData) {
      receive.flags |= DATA;
    }
  }

  /** A message is in the buffer, or as much of it as the buffer takes. */
  void received(Receive receive, Peer from, long payload) {
    Receive whole = leave(receive);
    long fits = receive.wanted(payload);
    findSource(receive, from);
    if (fits < payload) {
      receive.fail(
          Errno.ETRUNC,
          fits,
          payload - fits,
          NONE,
          "a message of " + payload + " bytes came for a buffer of " + fits);
    } else if (vector != null && sources == Sources.ALL && !source.isKnown()) {
      receive.fail(
          Errno.EADDRNOTAVAIL,
          payload,
          0,
          from.packed.toBytes(vector.format()),
          "the sender " + from + " is not in the address vector; what it sent is in memory");
    } else {
      receive.length = payload;
    }
    report(receive);
    end(whole);
  }

  private void findSource(Receive receive, Peer from) {
    if (vector != null && sources != Sources.NONE) {
      from.packed.find(vector, source);
      receive.source = source.reported();
    }
  }

  /** A peek has found a message, or one was discarded: says which. */
  void found(Receive receive, Message message) {
    expect(receive, message.key.tag, message.hasData, message.data);
    findSource(receive, message.sender());
    receive.length = message.payload;
    report(receive);
  }

  /** The message of a receive broke off: the receive waits for another one. */
  void putBack(Receive receive) {
    Receive whole = receive.whole;
    if (whole == null) {
      receive.flags = receive.key.tagged ? TAGGED : MESSAGE;
      receive.tag = 0;
      receive.data = 0;
      posted.putBack(receive);
      return;
    }
    whole.shares--;
    if (receive.start + receive.room == whole.used) {
      whole.used = receive.start;
      if (whole.spent && !whole.withdrawn && whole.room - whole.used >= minMultiReceive) {
        whole.spent = false;
        posted.putBack(whole);
      }
    }
    reported(receive);
    if (whole.spent && whole.shares == 0) {
      if (!whole.withdrawn) {
        whole.flags |= RELEASED;
        whole.silent = false;
        report(whole);
      }
      end(whole.withdrawn ? whole : null);
    }
  }

  /** A receive ends: the last share of a buffer that takes no more says so. */
  private static @Nullable Receive leave(Receive receive) {
    Receive whole = receive.whole;
    if (whole == null || --whole.shares > 0 || !whole.spent) {
      return null;
    }
    if (!whole.withdrawn) {
      receive.flags |= RELEASED;
      receive.silent = false;
    }
    return whole;
  }

  /** A buffer for several messages is given back. */
  private void end(@Nullable Receive whole) {
    if (whole == null) {
      return;
    }
    if (whole.withdrawn) {
      whole.flags |= RELEASED;
      whole.fail(Errno.ECANCELED, WITHDRAWN);
      report(whole);
    } else {
      reported(whole);
    }
  }

  private static final String WITHDRAWN = "the receive was withdrawn with cancel";

  /** Withdraws the first receive with a context; false if there is none. */
  boolean cancel(@Nullable Object context) {
    Receive receive = posted.withdraw(context);
    if (receive == null) {
      return false;
    }
    withdraw(receive, WITHDRAWN);
    return true;
  }

  /** Withdraws all receives: nothing comes any more. */
  void cancelAll(String reason) {
    for (Receive each = posted.poll(); each != null; each = posted.poll()) {
      withdraw(each, reason);
    }
  }

  private void withdraw(Receive receive, String reason) {
    if (receive.several) {
      receive.spent = true;
      receive.withdrawn = true;
      if (receive.shares == 0) {
        end(receive);
      }
    } else {
      fail(receive, Errno.ECANCELED, reason);
    }
  }

  /** The buffer of a receive cannot be used. */
  void refuse(Receive receive, String refusal) {
    Receive whole = receive.whole;
    if (whole != null && !whole.spent) {
      // Nothing more goes there.
      posted.remove(whole);
      whole.spent = true;
    }
    fail(receive, Errno.EINVAL, "the posted buffer " + refusal);
  }

  void fail(Receive receive, Errno errno, String reason) {
    Receive whole = leave(receive);
    receive.fail(errno, reason);
    report(receive);
    end(whole);
  }

  /**
   * Looking for a message receives none, nor does a buffer that is given back. What was written to
   * our memory is counted with all other writes.
   */
  @Override
  @Nullable CounterFlag counted(Receive receive) {
    boolean empty = receive.several && receive.failure == null;
    return receive.search || receive.notice || empty ? null : CounterFlag.RECEIVE;
  }

  @Override
  void reported(Receive receive) {
    if (receive.notice) {
      notices--;
    } else if (receive.whole == null) {
      taken--;
    } else {
      shares--;
    }
    receive.clear();
    idle.add(receive);
  }
}
