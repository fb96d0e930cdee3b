// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Regions;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.transfer.Answer;
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
public final class RemoteAccess {
  /** The answer to a read request. */
  private final class ReadAnswer extends Answer {
    private final AccessedMemory accessed = new AccessedMemory();

    @Override
    public void written() {
      long bytes = payload;
      release();
      Counters counted = counters(0);
      counted.succeeded(CounterFlag.REMOTE_READ, bytes);
      counted.count(CounterFlag.REMOTE_READ, false);
    }

    @Override
    public void release() {
      clear();
      idleAnswers.add(this);
    }

    @Override
    public int headerSize() {
      return FrameHeader.BASE;
    }

    @Override
    public void encodeHeader(ByteBuffer into) {
      FrameHeader.encodeBase(into, FrameHeader.READ_RESPONSE, 0, 0, sequence, payload);
    }

    @Override
    public void checkReadable() {
      accessed.check();
    }

    @Override
    public void clear() {
      super.clear();
      accessed.clear();
    }
  }

  /**
   * A write of a peer to our memory, while its bytes are coming; and then its completion, if it has
   * immediate data. It is counted with all other writes, not as an operation of ours.
   */
  final class RemoteWrite extends Operation implements Arrival {
    private final AccessedMemory accessed = new AccessedMemory();
    private @Nullable Link link;

    /** The peer that writes; null if that is not known. */
    private @Nullable Sender from;

    /** The receive context by which it is reported and counted, if the endpoint has any. */
    private int into;

    /** Whether it is reported. */
    private boolean notice;

    private boolean acknowledged;

    /** The reason why it could not be brought to the file. */
    @Nullable Throwable uncommitted;

    @Override
    protected @Nullable CounterFlag counted() {
      return null;
    }

    @Override
    public long wanted(long payload) {
      return payload;
    }

    @Override
    public void take(MemorySegment source, long at, long bytes, long offset) {
      accessed.check();
      memory.copyFrom(source, at, offset, bytes);
    }

    @Override
    public @Nullable MemorySegment rest(long offset, long bytes) {
      accessed.check();
      return memory.rest(offset, bytes, TcpLimits.DIRECT_READ);
    }

    @Override
    public void checkWritable() {
      accessed.check();
    }

    /**
     * All of it has come. Until it is in its file, if that is wanted, nothing more is taken from
     * its connection, because acknowledgements count by their order alone.
     */
    @Override
    public void whole(FrameHeader header) {
      acknowledged = (header.flags() & FrameHeader.ACKNOWLEDGED) != 0;
      if ((header.flags() & FrameHeader.COMMIT_COMPLETE) != 0 && memory.isMapped()) {
        try {
          accessed.check();
          if (!memory.isConfined()) {
            commits.begin(this);
            link().reader().lacks(Shortage.COMMITS);
            return;
          }
          // No other thread can do it.
          memory.force();
        } catch (Throwable failed) {
          drop();
          throw failed;
        }
      }
      end();
    }

    /** It is where it belongs. */
    private void end() {
      if (acknowledged) {
        link().writer().acknowledge();
      }
      Counters counted = counters(into);
      long bytes = memory.length();
      counted.succeeded(CounterFlag.REMOTE_WRITE, bytes);
      if (notice && from != null) {
        // Regions may be closed before the completion has room in the queue.
        accessed.clear();
        memory.clear();
        outcomes[into].received(this, from.packed, from.authKey, bytes, bytes);
      } else {
        drop();
      }
      counted.count(CounterFlag.REMOTE_WRITE, false);
    }

    @Override
    public void unusable(Throwable failed) throws ProtocolException {
      drop();
      throw new ProtocolException("it was writing to memory: " + failed.getMessage());
    }

    @Override
    public void brokeOff() {
      drop();
    }

    @Override
    protected void reported() {
      drop();
    }

    private void drop() {
      if (notice) {
        notices[into]--;
        freed = true;
      }
      clear();
      idleWrites.add(this);
    }

    private Link link() {
      return Objects.requireNonNull(link);
    }

    @Override
    public void clear() {
      super.clear();
      accessed.clear();
      link = null;
      from = null;
      notice = false;
      uncommitted = null;
    }
  }

  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();

  private final AccessedMemory.Reachable reachable;
  private final Regions.User user;
  private final boolean readable;
  private final boolean writable;
  private final ReceiveOutcomes[] outcomes;
  private final Counters counters;
  private final Commits commits;

  // Used again, so that there are as many as were needed at a time.
  private final Operations<ReadAnswer> idleAnswers = new Operations<>();
  private final Operations<RemoteWrite> idleWrites = new Operations<>();

  // By receive context, how many writes are to be reported and were not yet; connections that wait
  // for those to become fewer, and whether they have since the connections were last looked at.
  private final int[] notices;
  private final Deque<Link> starved = new ArrayDeque<>();
  private boolean freed;

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
    notices = new int[outcomes.length];
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
      answer = new ReadAnswer();
    }
    try {
      answer.accessed.reach(header, from, reachable, Access.REMOTE_READ, answer.memory);
    } catch (Throwable failed) {
      answer.release();
      throw failed;
    }
    answer.payload = answer.memory.length();
    link.writer().answer(answer);
    return Arrival.NOWHERE;
  }

  private @Nullable Arrival write(Link link, @Nullable Sender from, FrameHeader header)
      throws ProtocolException {
    int into = DeliveryWord.receiveContext(header.word());
    boolean notice = (header.flags() & FrameHeader.HAS_DATA) != 0 && outcomes.length > 0;
    if (notice) {
      if (notices[into] == TcpLimits.NOTICES) {
        link.reader().lacks(Shortage.NOTICES);
        starved.add(link);
        return null;
      }
      notices[into]++;
    }
    RemoteWrite write = idleWrites.poll();
    if (write == null) {
      write = new RemoteWrite();
    }
    write.begin(CounterFlag.REMOTE_WRITE, false);
    write.completionFlags |= DATA;
    write.asked = true;
    write.receivedData = header.data();
    write.link = link;
    write.from = from;
    write.notice = notice;
    write.into = into;
    try {
      write.accessed.reach(header, from, reachable, Access.REMOTE_WRITE, write.memory);
      if (write.memory.length() != header.payload()) {
        throw new ProtocolException(
            "a write of %s bytes came for places of %s"
                .formatted(header.payload(), write.memory.length()));
      }
    } catch (Throwable failed) {
      write.drop();
      throw failed;
    }
    return write;
  }

  /** Goes on with connections whose writes were brought to a file, or could not be. */
  private void goOnAfterCommits() {
    for (RemoteWrite write = commits.pollEnded(); write != null; write = commits.pollEnded()) {
      Link link = write.link();
      Throwable failed = write.uncommitted;
      if (!link.isOpen()) {
        write.drop();
      } else if (failed != null) {
        write.drop();
        link.lost(failed);
      } else {
        write.end();
        link.resume(null);
      }
    }
  }

  /** A connection has been closed: it waits for nothing any more. */
  public void dropped(Link link) {
    if (link.reader().shortage() == Shortage.NOTICES) {
      starved.remove(link);
    }
    link.reader().lacks(Shortage.NOTHING);
  }

  /** Reads on from connections that waited for room in the completion queue, or for a file. */
  public void goOn() {
    goOnAfterCommits();
    int waiting = freed ? starved.size() : 0;
    freed = false;
    for (int i = 0; i < waiting; i++) {
      // One that still has no room comes back to the end.
      Link link = starved.poll();
      if (link != null) {
        link.resume(null);
      }
    }
  }

  /** Returns what counts the accesses by a receive context. */
  private Counters counters(int context) {
    return outcomes.length == 0 ? counters : outcomes[context].completions().counters();
  }
}
