package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
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
  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();
  private static final byte[] NONE = {};

  private final boolean selective;
  private final CoreAddressVector vector;
  private final Sources sources;
  private final int size;
  private final TryAgainException full;
  private final Operations<Receive> idle = new Operations<>();
  private final MessageSource source = new MessageSource();
  private final MatchKey key = new MatchKey();
  private int made;

  final PostedReceives posted = new PostedReceives();
  final UnexpectedMessages unexpected = new UnexpectedMessages();

  ReceiveContext(Binding binding, CoreAddressVector vector, Sources sources, int size) {
    super(binding.queue());
    selective = binding.selective();
    this.vector = vector;
    this.sources = sources;
    this.size = size;
    full =
        new TryAgainException(
            "the receive queue is full with " + size + " buffers: read completions, then post");
  }

  /** Whether receives complete silently unless they ask for an entry. */
  boolean isSelective() {
    return selective;
  }

  /** A receive to be filled in; throws if all are posted. */
  Receive take(boolean tagged) {
    Receive receive = idle.poll();
    if (receive == null) {
      if (made == size) {
        throw full;
      }
      receive = new Receive(this);
      made++;
    }
    receive.tagged = tagged;
    receive.flags = tagged ? TAGGED : MESSAGE;
    return receive;
  }

  /** Takes the receive that a message of a peer goes to; null if none is posted. */
  @Nullable Receive match(FrameHeader header, Peer from) {
    key.set(header.operation() == FrameHeader.TAGGED, header.tag(), from);
    Receive receive = posted.match(key);
    if (receive != null) {
      expect(receive, header.tag(), (header.flags() & FrameHeader.HAS_DATA) != 0, header.data());
    }
    return receive;
  }

  /** Notes what is known of the message that a receive takes. */
  static void expect(Receive receive, long tag, boolean hasData, long data) {
    receive.tag = receive.tagged ? tag : 0;
    receive.data = data;
    if (hasData) {
      receive.flags |= DATA;
    }
  }

  /** A message is in the buffer, or as much of it as the buffer takes. */
  void received(Receive receive, Peer from, long payload) {
    long fits = receive.wanted(payload);
    if (sources != Sources.NONE) {
      from.packed.find(vector, source);
      receive.source = source.reported();
    }
    if (fits < payload) {
      receive.fail(
          Errno.ETRUNC,
          fits,
          payload - fits,
          NONE,
          "a message of " + payload + " bytes came for a buffer of " + fits);
    } else if (sources == Sources.ALL && !source.isKnown()) {
      receive.fail(
          Errno.EADDRNOTAVAIL,
          payload,
          0,
          from.packed.toBytes(vector.format()),
          "the sender " + from + " is not in the address vector; the message is in the buffer");
    } else {
      receive.length = payload;
    }
    report(receive);
  }

  /** The message of a receive broke off: the receive is to take another one. */
  void renew(Receive receive) {
    receive.flags = receive.tagged ? TAGGED : MESSAGE;
    receive.tag = 0;
    receive.data = 0;
  }

  void fail(Receive receive, Errno errno, String reason) {
    receive.fail(errno, reason);
    report(receive);
  }

  @Override
  void reported(Receive receive) {
    receive.clear();
    idle.add(receive);
  }
}
