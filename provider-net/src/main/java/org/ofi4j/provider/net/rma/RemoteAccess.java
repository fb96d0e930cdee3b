// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.CounterFlag;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Regions;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.matching.ReceiveOutcomes;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Shortage;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What peers do with our memory. A frame that reaches for what its sender may not have costs the
 * connection, because the protocol has no other answer, and touches nothing. Guarded by the lock of
 * the endpoint.
 *
 * <p>A connection is paused before a read request if {@value TcpLimits#ANSWERS} answers to its peer
 * wait to be written, and before a write with immediate data if {@value TcpLimits#NOTICES}
 * completions wait for room in the queue.
 */
public final class RemoteAccess implements RemoteWrite.Owner {
  private final AccessedMemory.Reachable reachable;
  private final Regions.User user;
  private final boolean readable;
  private final boolean writable;
  private final ReceiveOutcomes[] outcomes;
  private final Counters counters;
  private final Commits commits;

  // Used again, so that there are as many as were needed at a time.
  private final Operations<ReadAnswer> idleAnswers = new Operations<>();
  private @Nullable RemoteWrite idleWrite;

  // Whether those who close regions know that they must wait for us.
  private boolean joined;

  /**
   * Nothing is reached yet.
   *
   * @param user has the lock under which memory is touched
   * @param outcomes report writes with immediate data, by receive context; none if nobody wants to
   *     know
   * @param counters count all writes, and reads, if there are no outcomes to do it
   */
  public RemoteAccess(
      FabricInfo info,
      AccessedMemory.Reachable reachable,
      Regions.User user,
      ReceiveOutcomes[] outcomes,
      Counters counters,
      Commits commits) {
    this.reachable = reachable;
    this.user = user;
    this.outcomes = outcomes;
    this.counters = counters;
    this.commits = commits;
    readable = info.has(Capability.REMOTE_READ);
    writable = info.has(Capability.REMOTE_WRITE);
  }

  /** See {@link FrameHandler#begin}. */
  public @Nullable Arrival begin(Link link, @Nullable Sender from, FrameHeader header)
      throws ProtocolException {
    boolean reads = header.operation() == FrameHeader.READ_REQUEST;
    if (!(reads ? readable : writable)) {
      throw new ProtocolException(
          "the endpoint has no capability " + (reads ? "REMOTE_READ" : "REMOTE_WRITE"));
    }
    if (!joined) {
      reachable.regions().join(user);
      joined = true;
    }
    return reads ? read(link, from, header) : write(link, from, header);
  }

  private @Nullable Arrival read(Link link, @Nullable Sender from, FrameHeader header)
      throws ProtocolException {
    if (header.payload() != 0) {
      throw new ProtocolException("a read request with bytes behind it came");
    }
    if (link.writer().answers() >= TcpLimits.ANSWERS) {
      link.reader().lacks(Shortage.ANSWERS);
      return null;
    }
    ReadAnswer answer = idleAnswers.poll();
    if (answer == null) {
      answer = new ReadAnswer(this);
    }
    try {
      answer.accessed.reach(header, from, reachable, Access.REMOTE_READ, answer.memory);
    } catch (Throwable failed) {
      release(answer);
      throw failed;
    }
    answer.payload = answer.memory.length();
    answer.link = link;
    return answer;
  }

  private @Nullable Arrival write(Link link, @Nullable Sender from, FrameHeader header)
      throws ProtocolException {
    Receive notice = null;
    ReceiveOutcomes into = into(header);
    if ((header.flags() & FrameHeader.HAS_DATA) != 0 && into != null) {
      notice = into.takeNotice(header.payload(), header.data());
      if (notice == null) {
        link.reader().lacks(Shortage.NOTICES);
        into.starved.add(link);
        return null;
      }
    }
    RemoteWrite write = idleWrite;
    if (write == null) {
      write = new RemoteWrite(this);
    } else {
      idleWrite = write.next;
      write.next = null;
    }
    write.link = link;
    write.from = from;
    write.notice = notice;
    write.into = into;
    try {
      write.memory.reach(header, from, reachable, Access.REMOTE_WRITE, write.places());
      if (write.places().length() != header.payload()) {
        throw new ProtocolException(
            "a write of %s bytes came for places of %s"
                .formatted(header.payload(), write.places().length()));
      }
    } catch (Throwable failed) {
      drop(write);
      throw failed;
    }
    return write;
  }

  @Override
  public void written(FrameHeader header, RemoteWrite write) {
    write.payload = header.payload();
    write.acknowledged = (header.flags() & FrameHeader.ACKNOWLEDGED) != 0;
    if ((header.flags() & FrameHeader.COMMIT_COMPLETE) != 0 && write.places().isMapped()) {
      commit(write);
    } else {
      end(write);
    }
  }

  /**
   * Has a write brought to its file. Until then nothing more is taken from its connection, because
   * acknowledgements count by their order alone.
   */
  private void commit(RemoteWrite write) {
    boolean done = write.places().isConfined();
    try {
      write.memory.check();
      if (done) {
        // No other thread can do it.
        write.places().force();
      } else {
        commits.begin(write);
        write.link().reader().lacks(Shortage.COMMITS);
      }
    } catch (Throwable failed) {
      drop(write);
      throw failed;
    }
    if (done) {
      end(write);
    }
  }

  /** A write is where it belongs. */
  private void end(RemoteWrite write) {
    if (write.acknowledged) {
      write.link().writer().acknowledge();
    }
    Receive notice = write.notice;
    ReceiveOutcomes into = write.into;
    Sender from = write.from;
    long payload = write.payload;
    write.notice = null;
    release(write);
    Counters counted = into == null ? counters : into.completions().counters();
    counted.succeeded(CounterFlag.REMOTE_WRITE, payload);
    if (notice != null && into != null && from != null) {
      into.received(notice, from, payload);
    }
    counted.count(CounterFlag.REMOTE_WRITE, false);
  }

  /** Goes on with connections whose writes were brought to a file, or could not be. */
  private void goOnAfterCommits() {
    for (RemoteWrite write = commits.pollEnded(); write != null; write = commits.pollEnded()) {
      Link link = write.link();
      Throwable failure = write.failure;
      if (!link.isOpen()) {
        drop(write);
      } else if (failure != null) {
        drop(write);
        link.lost(failure);
      } else {
        end(write);
        link.resume(null);
      }
    }
  }

  /** Where it is reported what a frame does; null if nobody wants to know. */
  private @Nullable ReceiveOutcomes into(FrameHeader header) {
    return outcomes.length == 0 ? null : outcomes[DeliveryWord.receiveContext(header.word())];
  }

  @Override
  public void drop(RemoteWrite write) {
    Receive notice = write.notice;
    ReceiveOutcomes into = write.into;
    release(write);
    if (notice != null && into != null) {
      into.reported(notice);
    }
  }

  private void release(RemoteWrite write) {
    write.clear();
    write.next = idleWrite;
    idleWrite = write;
  }

  void answered(ReadAnswer answer) {
    long bytes = answer.payload;
    release(answer);
    Counters counted = outcomes.length == 0 ? counters : outcomes[0].completions().counters();
    counted.succeeded(CounterFlag.REMOTE_READ, bytes);
    counted.count(CounterFlag.REMOTE_READ, false);
  }

  /** An answer was written, or is not wanted any more. */
  void release(ReadAnswer answer) {
    answer.clear();
    idleAnswers.add(answer);
  }

  /** A connection has been closed: it waits for nothing any more. */
  public void dropped(Link link) {
    if (link.reader().shortage() == Shortage.NOTICES) {
      for (ReceiveOutcomes into : outcomes) {
        into.starved.remove(link);
      }
    }
    link.reader().lacks(Shortage.NOTHING);
  }

  /** Reads on from connections that waited for room in the completion queue, or for a file. */
  public void goOn() {
    goOnAfterCommits();
    for (ReceiveOutcomes into : outcomes) {
      while (into.hasNotices()) {
        Link link = into.starved.poll();
        if (link == null) {
          break;
        }
        link.resume(null);
      }
    }
  }
}
