// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.example.loopback.Parcel.Message;
import org.ofi4j.Capability;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Receiver;

/**
 * The half of an endpoint that receives: the receives that wait for messages, and the messages that
 * wait for receives, each in order. A message meets the first receive that fits, and a receive the
 * first message. The lock of the endpoint guards it.
 */
final class LoopbackReceiver implements Receiver {
  private static final byte[] NONE = {};

  private final LoopbackEndpoint endpoint;
  private final Peers peers;
  private final Completions completions;
  private final boolean reportsSources;
  private final boolean reportsUnknownSources;

  private final OperationPool<Request> pool;
  private final Operations<Request> posted = new Operations<>();
  private final Deque<Message> early = new ArrayDeque<>();
  private final MessageSource source = new MessageSource();

  LoopbackReceiver(LoopbackEndpoint endpoint, EndpointOpening opening, Completions completions) {
    this.endpoint = endpoint;
    this.completions = completions;
    peers = opening.peers();
    FabricInfo info = opening.info();
    reportsSources = info.has(Capability.SOURCE);
    reportsUnknownSources = info.has(Capability.SOURCE_ERR);
    pool = new OperationPool<>(info.receive().size(), Request::new);
  }

  /** A receive looks for no message that has come; see fi_tagged(3) for the flags that would. */
  @Override
  public long flags() {
    return Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE);
  }

  @Override
  public void lock() {
    endpoint.lock();
  }

  @Override
  public void unlock() {
    endpoint.unlock();
  }

  /** The source says nothing: directed receives are not offered. */
  @Override
  public Operation take(boolean tagged, long from, boolean directed, long flags, Object context) {
    return pool.take(CounterFlag.RECEIVE, tagged);
  }

  @Override
  public boolean post(Operation operation) {
    Request receive = (Request) operation;
    for (Iterator<Message> each = early.iterator(); each.hasNext(); ) {
      Message message = each.next();
      if (fits(receive, message)) {
        each.remove();
        deliver(receive, message);
        return true;
      }
    }
    posted.add(receive);
    return true;
  }

  /** A message has come. */
  void arrived(Message message) {
    Request before = null;
    for (Request each = posted.first(); each != null; each = posted.after(each)) {
      if (fits(each, message)) {
        posted.removeAfter(before, each);
        deliver(each, message);
        return;
      }
      before = each;
    }
    early.add(message);
  }

  private static boolean fits(Request receive, Message message) {
    return receive.tagged == message.tagged()
        && (!receive.tagged || ((receive.tag ^ message.tag()) & ~receive.ignore) == 0);
  }

  private void deliver(Request receive, Message message) {
    byte[] bytes = message.bytes();
    long fits = Math.min(bytes.length, receive.memory.length());
    receive.receivedTag = message.tag();
    if (message.hasData()) {
      receive.receivedData = message.data();
      receive.completionFlags |= CompletionFlag.REMOTE_CQ_DATA.mask();
    }
    source.unknown();
    if (reportsSources) {
      peers.findSource(message.from().packedName(), source);
      receive.source = source.reported();
    }
    endpoint.taken(message);
    try {
      receive.memory.copyFrom(MemorySegment.ofArray(bytes), 0, 0, fits);
    } catch (RuntimeException | InternalError unusable) {
      // Memory that was freed, or is confined to another thread than the one that polls.
      completions.fail(receive, Errno.EFAULT, "the buffer cannot be written: " + unusable);
      return;
    }
    if (fits < bytes.length) {
      String reason = "a message of " + bytes.length + " bytes came for a buffer of " + fits;
      receive.fail(Errno.ETRUNC, fits, bytes.length - fits, NONE, reason);
    } else if (reportsUnknownSources && !source.isKnown()) {
      String reason = "the sender " + message.from().name() + " is not in the address vector";
      receive.fail(Errno.EADDRNOTAVAIL, fits, 0, message.from().name().toBytes(), reason);
    } else {
      receive.length = fits;
    }
    completions.report(receive);
  }

  /** A peer has written memory of this endpoint, with immediate data. */
  void written(long bytes, long data) {
    Operation notice =
        new Operation() {
          @Override
          protected long moved() {
            return length;
          }
        };
    notice.begin(CounterFlag.REMOTE_WRITE, false);
    notice.completionFlags |= CompletionFlag.REMOTE_CQ_DATA.mask();
    notice.length = bytes;
    notice.receivedData = data;
    // Reported in a queue that reports selectively, too: no one can ask for it here.
    notice.asked = true;
    completions.report(notice);
  }

  @Override
  public boolean cancel(Object context) {
    Request first = posted.remove(context);
    if (first != null) {
      completions.fail(first, Errno.ECANCELED, "the receive was withdrawn with cancel");
    }
    return first != null;
  }

  /** Reports completions that found the queue full. */
  void poll() {
    completions.reportKept();
  }

  @Override
  public long outstanding() {
    return pool.outstanding();
  }

  void close() {
    completions.detach();
    posted.clear();
    pool.clear();
    early.forEach(each -> endpoint.refuse(each, "was closed"));
    early.clear();
  }
}
