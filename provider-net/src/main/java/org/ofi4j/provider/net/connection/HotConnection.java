// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * A place for a connection that has data often. {@link FrameMover} reads such a connection without
 * asking a selector, which costs more than a read in vain, until many reads in a row have brought
 * nothing.
 *
 * <p>The place also says when to read. A read takes the socket away from a peer that sends at that
 * moment, and has the kernel acknowledge what came. When a peer sends one short message after the
 * other and nothing goes back to it, reading many at a time costs both sides less. So after some
 * messages in a row reads are put off, by {@link TcpLimits#READ_PAUSE} from the last one at most,
 * for as long as they bring so much more that it is worth it. Anything sent to the peer ends that
 * at once, as does a read in vain and a thread that is going to sleep: an answer is read as soon as
 * it is there, and no message waits until another one has come.
 *
 * <p>Guarded by the lock of the endpoint.
 */
final class HotConnection {
  /** The connection; null while the place is free. */
  @Nullable Connection connection;

  private final LongSupplier clock;

  /** Reads in vain since the last one that was not. */
  int idleReads;

  // Since something was sent, or there was a pause: messages, reads, their bytes, and reads in vain
  // since the last of them.
  private int messages;
  private int inVain;
  private long reads;
  private long bytes;

  private boolean puttingOff;
  private long readAt;

  // After how many messages reads are put off; more if it was no use the last time.
  private int stream = TcpLimits.STREAM;

  /**
   * Constructs a free place.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  HotConnection(LongSupplier clock) {
    this.clock = clock;
  }

  /** A connection takes the place. */
  void begin(Connection itsConnection) {
    connection = itsConnection;
    idleReads = 0;
    stream = TcpLimits.STREAM;
    end();
  }

  /** Returns whether the connection is not to be read yet. */
  boolean putsOff() {
    if (!puttingOff) {
      return false;
    }
    long now = clock.getAsLong();
    if (now - readAt < TcpLimits.READ_PAUSE) {
      return true;
    }
    readAt = now;
    return false;
  }

  /**
   * A read has brought something.
   *
   * @param ended how many messages have come as a whole since the last one, or since a write
   */
  void came(long count, int ended) {
    idleReads = 0;
    messages += ended;
    inVain = 0;
    if (!puttingOff) {
      reads++;
      bytes += count;
      if (messages >= stream && bytes <= reads * TcpLimits.SHORT_READ) {
        puttingOff = true;
        readAt = clock.getAsLong();
      }
    } else if (2 * count * reads < 3 * bytes) {
      stream = Math.min(2 * stream, TcpLimits.LONGEST_STREAM);
      end();
    } else {
      stream = TcpLimits.STREAM;
    }
  }

  /**
   * A read has brought nothing.
   *
   * @return whether there were so many that the connection is not hot any more
   */
  boolean inVain() {
    if (puttingOff || ++inVain > TcpLimits.STREAM_READS_IN_VAIN) {
      end();
    }
    return ++idleReads > TcpLimits.IDLE_READS;
  }

  /** Reads are not put off any more until there is another stream. */
  void end() {
    puttingOff = false;
    messages = 0;
    inVain = 0;
    reads = 0;
    bytes = 0;
  }
}
