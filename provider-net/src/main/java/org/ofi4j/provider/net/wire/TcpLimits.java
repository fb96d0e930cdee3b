// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.util.concurrent.TimeUnit;
import org.ofi4j.ConnectionOptions;

/** Every bound of endpoints over TCP, with its reason. */
public final class TcpLimits {
  /**
   * Authorization keys of one endpoint: each request for a connection is tried with all of them. A
   * {@code Peer} has 16 bits for the number of its key.
   */
  public static final int MAX_AUTH_KEYS = 256;

  /** The length field of a frame counts its header too; half of its range is more than enough. */
  public static final long MAX_MESSAGE = 1L << 62;

  /** Small enough to copy, large enough for what is injected as a rule. */
  public static final int INJECT_SIZE = 1_024;

  /** Sends to one peer, or receives, that can be posted at a time unless hints say otherwise. */
  public static final int QUEUE_SIZE = 1_024;

  /** The most sends or receives that hints may ask for. */
  public static final int MAX_QUEUE_SIZE = 1 << 16;

  /**
   * Transmit contexts, and receive contexts, of a scalable endpoint: more than most hosts have
   * cores. A receive context takes about two kilobytes and is looked at in each turn, whether it is
   * open or not.
   */
  public static final int CONTEXTS = 256;

  /** Pieces of memory that one message may have. */
  public static final int IOV_LIMIT = 8;

  /**
   * Places in a peer's memory that one operation may reach: as many as the protocol has room for.
   */
  public static final int RMA_IOV_LIMIT = FrameHeader.MAX_SEGMENTS;

  /** Payload up to this length is copied behind its header; more goes out from where it lies. */
  public static final int COPY_SIZE = 16_384;

  /**
   * The same for payload that begins with a page. The kernel copies it to behind a header that
   * begins with one, as a rule, and so close behind in their pages processors take longer for that
   * than for a copy to elsewhere.
   */
  public static final int PAGE_COPY_SIZE = 65_536;

  public static final int PAGE = 4_096;

  /**
   * After a message of this length the next one is expected to be as long: of it no more is read
   * into a buffer of ours than this, and the rest goes straight to where it belongs.
   */
  public static final int LONG_MESSAGE = 131_072;

  public static final int FIRST_READ = 4_096;

  /**
   * Bytes that connections of an endpoint keep while nothing takes the message at their head; then
   * no more is read into a buffer of ours than a header, or the rest of a payload.
   */
  public static final int KEPT_BYTES = 1 << 24;

  /** Bytes that a paused connection keeps at most to notice its end, besides one read. */
  public static final int READ_AHEAD = 16_384;

  /**
   * The time after the last receive was posted for which messages wait in the socket if there is no
   * receive for them, in nanoseconds: a message that is read before its receive is posted costs
   * twice as much.
   */
  public static final long RECEIVE_PAUSE = 50_000;

  /** The time for which they wait at most, as other frames may follow, in nanoseconds. */
  public static final long LONGEST_RECEIVE_PAUSE = 1_000_000;

  /** Payload of which less than this is left is read with whatever follows it. */
  public static final int DIRECT_READ = 16_384;

  /** The longest piece of memory that one buffer of the JDK's can show. */
  public static final long VIEW_SIZE = 1L << 30;

  /**
   * Bytes that one call of the kernel's reads: it copies them with the lock of the endpoint held,
   * and goes on for as long as the other side keeps up.
   */
  public static final int CALL_SIZE = 1 << 22;

  /**
   * The longest segment over a loopback interface: what an IPv4 packet of 65,535 bytes has besides
   * its headers and a time stamp.
   */
  private static final int LOOPBACK_SEGMENT = 65_535 - 20 - 32;

  /**
   * Bytes of a large message that one call of the kernel's writes. While a call lasts, what the
   * kernel paces, or what waits for an acknowledgement, stays where it is. Where segments are as
   * long as they get, a number of whole ones: a short one takes up as much of what the kernel lets
   * be under way.
   */
  public static final int WRITE_SIZE = 4 * LOOPBACK_SEGMENT;

  /** The end of a large message is written together if it is shorter than this. */
  public static final int LAST_WRITE = WRITE_SIZE + WRITE_SIZE / 2;

  /**
   * Bytes of one connection after which others get their turn. Connections that are ready at the
   * same time share them, but each moves {@link #WRITE_SIZE} in any case.
   */
  public static final long TURN_SIZE = 1L << 22;

  /**
   * How long one connection moves data before others get their turn, counted from the end of its
   * first call of the kernel's: memory may be slow, as that of a file or with TLS. Connections that
   * are ready at the same time share it.
   */
  public static final long TURN_TIME = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * Unexpected messages up to this length get a block of it, which is used again. Others count as
   * so long at least.
   */
  public static final int UNEXPECTED_BLOCK = 4_096;

  /** Unexpected messages, and their blocks, that are kept to be used again. */
  public static final int IDLE_MESSAGES = 1_024;

  /** Messages that peers have announced to an endpoint, and no receive has taken. */
  public static final int ANNOUNCED_MESSAGES = 16_384;

  /**
   * Which part of the bounds for early messages and announced ones all strangers together may use.
   */
  public static final int STRANGERS = 4;

  /**
   * Which part of the room for early messages a peer is told of at most. With more peers than that
   * there may be less than all were told of; then messages wait in their connections.
   */
  public static final int WINDOWS = 2;

  /** Between two lines of the log that say of one endpoint that there is no more room. */
  public static final long FULL_ROOM_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** What must be left of a buffer for several messages, unless the application says otherwise. */
  public static final long MIN_MULTI_RECEIVE = 64;

  /** Peers that want heartbeats more often get them as often as this. */
  public static final long SHORTEST_HEARTBEAT = ConnectionOptions.LEAST_PEER_TIMEOUT.toNanos() / 4;

  /** The first pause before a connection is tried again; it doubles up to the longest. */
  public static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  public static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

  /** The pause before an endpoint that could not accept a connection tries again. */
  public static final long ACCEPT_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long a peer that refused a connection has to open its own. */
  public static final long PAUSE_FOR_PEER = TimeUnit.MILLISECONDS.toNanos(20);

  /** How long an accepted connection may take to introduce itself. */
  public static final long GREETING_TIMEOUT = TimeUnit.SECONDS.toNanos(5);

  /** Accepted connections that have not introduced themselves. */
  public static final int MAX_GREETINGS = 1_024;

  /** Connections of one endpoint; others are closed as soon as they are accepted. */
  public static final int MAX_CONNECTIONS = 1 << 16;

  /** Connections to accept before others get their turn. */
  public static final int ACCEPTS = 64;

  /** Reads from a connection that is closed, to end it in good order. */
  public static final int LAST_READS = 256;

  /** Times that a connection which is closed has its turn to write. */
  public static final int LAST_WRITES = 64;

  /** Reads from a connection that is replaced, for what the peer sent over it before. */
  public static final int DRAINING_READS = 64;

  /** Connections that may wait to be accepted; the kernel has a limit of its own. */
  public static final int BACKLOG = 4_096;

  /** Frames of one connection to take before others get their turn. */
  public static final int READS = 16;

  /** Frames that wait for others which were announced to follow; then they are written. */
  public static final int HELD = 64;

  /** Sends to a peer in a row after which further ones wait for each other. */
  public static final int ROW = 16;

  /** The same after they did not come to many several times. */
  public static final int LONGEST_ROW = 256;

  /** Before how many of the last ones of a row it is looked how long the pause was. */
  public static final int ROW_GAPS = 8;

  /**
   * The longest pause within a row, in nanoseconds: with one that is longer sends are rare enough
   * for a write each.
   */
  public static final long ROW_GAP = 50_000;

  /**
   * Sends of a row that go out together, which includes the one that no more wait for. A write over
   * loopback takes about 5 us, and everything else about a short message a fifth of one.
   */
  public static final int GATHERED = 32;

  /** With fewer than that, waiting was of no use. */
  public static final int FEW_GATHERED = 4;

  /** The longest message that waits in a row. */
  public static final int GATHERED_SIZE = 16_384;

  /**
   * Payload that goes out together at most; with the headers it fits into one segment. A few bytes
   * more would go as a segment of their own.
   */
  public static final int GATHERED_BYTES = LOOPBACK_SEGMENT - GATHERED * FrameHeader.MAX;

  /** Messages that are copied if they have to wait, in bytes. */
  public static final int COPIED_SEND = 64;

  /** Connections with recent traffic, which are read without asking the selector first. */
  public static final int HOT = 4;

  /**
   * How long the selector is not asked while there are such connections, in nanoseconds: it costs
   * as much as two reads in vain.
   */
  public static final long ASK_PAUSE = 500_000;

  /**
   * The same where a read has just brought something, which would be kept waiting. Other
   * connections, and those that want to be accepted, wait for so long at most, or until the next
   * poll if that comes later.
   */
  public static final long ASK_AT_LAST = 1_000_000;

  /**
   * Rests after reads that brought nothing: each read locks the socket, and whoever sends to it at
   * that moment waits.
   */
  public static final int RESTS = 32;

  /**
   * Bytes of frames after which a connection moves into shared memory: for fewer it does not pay.
   */
  public static final int BYTES_BEFORE_MEMORY = 1024;

  /** Reads in vain after which a connection is not among them any more. */
  public static final int IDLE_READS = 4_096;

  /** Writes to one connection before others get their turn. */
  public static final int WRITES = 16;

  /**
   * Answers to read requests of one peer that wait to be written; then it is not read from. Also
   * the requests that are sent to one peer before it has answered: so two that ask each other for
   * much never wait for each other.
   */
  public static final int ANSWERS = 256;

  /** How long a thread that brings writes to files stays when it has nothing to do. */
  public static final long COMMITTER_IDLE = TimeUnit.SECONDS.toNanos(2);

  /**
   * Threads for the handshakes of TLS of all endpoints of the process. An application's trust
   * manager may wait for somebody else in one, until the time for the handshake is over.
   */
  public static final int HANDSHAKE_THREADS = 32;

  /** How long such a thread stays when it has nothing to do. */
  public static final long HANDSHAKE_THREAD_IDLE = TimeUnit.SECONDS.toNanos(2);

  /**
   * Records of TLS without bytes of a message: in a handshake, and then for each {@value
   * #TURN_SIZE} bytes. There are a dozen, and later tickets and a few new keys; who sends more
   * wants us to be busy.
   */
  public static final int TLS_RECORDS_IN_VAIN = 32;

  /** Records of TLS of one connection after which others get their turn. */
  public static final int TLS_RECORDS = 256;

  /** Completions for writes of peers that wait for room in the queue; then they are not read. */
  public static final int NOTICES = 1_024;

  private TcpLimits() {}
}
