// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.Objects;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What receives are posted to. An endpoint has one; a scalable one has several, which are there
 * from the beginning, also while nobody has opened them; some endpoints share one. Guarded by the
 * lock of the endpoint, or of those that share it.
 */
public final class ReceiveContext {
  private static final long RELEASED = CompletionFlag.MULTI_RECEIVE.mask();

  private int size;

  // Receives that are posted or have not been reported, but shares.
  private OperationPool<Receive> pool;

  // Shares of buffers that have not been reported, and others to be used again.
  private int shares;
  private final Operations<Receive> idleShares = new Operations<>();

  // Of a scalable endpoint, and not open any more.
  private boolean closed;

  // How receives end that no message came for; null while no endpoint shares the context.
  private @Nullable ReceiveOutcomes outcomes;

  /** What must be left of a buffer for several messages for it to take another one. */
  public long minMultiReceive = TcpLimits.MIN_MULTI_RECEIVE;

  /** A message found its receive, but too many shares of buffers have not been reported yet. */
  boolean starved;

  final PostedReceives posted;

  /** Messages that came before a receive was posted for them. */
  final UnexpectedMessages unexpected;

  /**
   * A context without receives.
   *
   * @param size how many receives may be posted
   * @param unexpected no messages yet
   * @param generations which generation the entry of a handle has, for receives that are directed
   *     at one
   */
  ReceiveContext(int size, UnexpectedMessages unexpected, LongUnaryOperator generations) {
    this.size = size;
    pool = new OperationPool<>(size, this::receive);
    this.unexpected = unexpected;
    posted = new PostedReceives(generations);
  }

  private Receive receive() {
    return new Receive(this);
  }

  /** Says how many receives may be posted from now on; none is at this moment. */
  public void size(int receives) {
    size = receives;
    pool = new OperationPool<>(size, this::receive);
  }

  /** Says how receives end that no message came for; null if they are dropped. */
  public void endIn(@Nullable ReceiveOutcomes present) {
    outcomes = present;
    closed = false;
  }

  /** A receive to be filled in; null if all are posted. */
  public @Nullable Receive take(boolean tagged) {
    if (closed) {
      throw invalid("the receive context is closed: open it again");
    }
    Receive receive = pool.take(CounterFlag.RECEIVE, tagged);
    if (receive != null) {
      receive.key.tagged = tagged;
    }
    return receive;
  }

  /** How many receives are posted, or were not reported; for any thread. */
  public long outstanding() {
    return pool.outstanding();
  }

  /** Whether messages can have shares of buffers. */
  boolean hasShares() {
    return shares < size;
  }

  /** Takes the receive that a message goes to; null if none is posted, or it must wait. */
  @Nullable Receive match(MatchKey key, long payload) {
    Receive receive = starved && !key.tagged ? null : posted.match(key);
    if (receive == null) {
      return null;
    }
    if (!receive.takesSeveral()) {
      posted.remove(receive);
      return receive;
    }
    starved = !hasShares();
    return starved ? null : share(receive, payload);
  }

  /** The next part of a buffer for several messages. */
  private Receive share(Receive whole, long payload) {
    Receive share = idleShares.poll();
    if (share == null) {
      share = receive();
    }
    shares++;
    share.whole = whole;
    share.begin(CounterFlag.RECEIVE, false);
    share.completionFlags = whole.completionFlags;
    share.context = whole.context;
    share.asked = whole.asked;
    share.memory.set(whole.memory.at(0));
    share.start = whole.used;
    share.room = Math.min(payload, whole.room - whole.used);
    // Untagged messages have no other use for it.
    share.receivedTag = share.start;
    whole.used += share.room;
    whole.shares++;
    if (whole.room - whole.used < minMultiReceive) {
      posted.remove(whole);
      whole.spent = true;
    }
    return share;
  }

  void received(Receive receive, Sender from, long payload) {
    Receive whole = leave(receive);
    Objects.requireNonNull(outcomes(receive))
        .received(receive, from.packed, from.authKey, payload, receive.wanted(payload));
    end(whole);
  }

  void found(Receive receive, Sender from, long payload) {
    Objects.requireNonNull(outcomes(receive)).found(receive, from.packed, from.authKey, payload);
  }

  private @Nullable ReceiveOutcomes outcomes(Receive receive) {
    ReceiveOutcomes known = receive.outcomes;
    return known == null ? outcomes : known;
  }

  private void report(Receive receive) {
    ReceiveOutcomes to = outcomes(receive);
    if (to == null) {
      reported(receive);
    } else {
      to.completions().report(receive);
    }
  }

  /** The message of a receive broke off: the receive waits for another one, if it was posted. */
  void putBack(Receive receive) {
    Receive whole = receive.whole;
    if (whole == null) {
      receive.begin(CounterFlag.RECEIVE, receive.tagged);
      receive.receivedTag = 0;
      receive.receivedData = 0;
      receive.outcomes = null;
      if (receive.has(TransferFlag.CLAIM)) {
        fail(receive, Errno.ENOMSG, "the connection of the message was lost before all had come");
      } else {
        posted.putBack(receive);
      }
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
        whole.completionFlags |= RELEASED;
        whole.asked = true;
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
      receive.completionFlags |= RELEASED;
      receive.asked = true;
    }
    return whole;
  }

  /** A buffer for several messages is given back. */
  private void end(@Nullable Receive whole) {
    if (whole == null) {
      return;
    }
    if (whole.withdrawn) {
      whole.completionFlags |= RELEASED;
      whole.fail(Errno.ECANCELED, WITHDRAWN);
      report(whole);
    } else {
      reported(whole);
    }
  }

  private static final String WITHDRAWN = "the receive was withdrawn with cancel";

  /** Withdraws the first receive with a context; false if there is none. */
  public boolean cancel(@Nullable Object context) {
    Receive receive = posted.withdraw(context);
    if (receive == null) {
      return false;
    }
    withdraw(receive, Errno.ECANCELED, WITHDRAWN);
    return true;
  }

  /** Withdraws all receives: nothing comes any more. */
  public void failAll(Errno errno, String reason) {
    for (Receive each = posted.poll(); each != null; each = posted.poll()) {
      withdraw(each, errno, reason);
    }
  }

  /** Messages come from peers of another vector from now on, in which nobody has an entry yet. */
  public void forgetDirected() {
    posted.forgetDirected();
  }

  private void withdraw(Receive receive, Errno errno, String reason) {
    if (receive.takesSeveral()) {
      receive.spent = true;
      receive.withdrawn = true;
      if (receive.shares == 0) {
        end(receive);
      }
    } else {
      fail(receive, errno, reason);
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

  /** The buffer of a receive cannot be written to. */
  void unusable(Receive receive, Throwable failed) {
    fail(
        receive,
        NetworkErrors.of(failed),
        "the posted buffer cannot be written to, and the message is lost: " + failed.getMessage());
  }

  void fail(Receive receive, Errno errno, String reason) {
    Receive whole = leave(receive);
    receive.fail(errno, reason);
    report(receive);
    end(whole);
  }

  /**
   * Closes one of several contexts: forgets all receives, those for which a message is on its way
   * too, as nothing refers to them any more. Messages that peers have sent stay, for an application
   * that opens the context again.
   */
  public void abandon() {
    while (posted.poll() != null) {
      // Goes on.
    }
    unexpected.putBackClaimed();
    closed = true;
    shares = 0;
    minMultiReceive = TcpLimits.MIN_MULTI_RECEIVE;
    starved = false;
  }

  /** A receive was reported, or is forgotten, and can be used again. */
  void reported(Receive receive) {
    if (receive.whole == null) {
      pool.giveBack(receive);
    } else {
      shares--;
      receive.clear();
      idleShares.add(receive);
    }
  }
}
