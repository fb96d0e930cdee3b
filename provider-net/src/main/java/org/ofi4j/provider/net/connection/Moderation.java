// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.function.LongSupplier;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Whether a connection that is polled is read at once or a moment later.
 *
 * <p>A read takes the socket away from whoever sends at that moment, and has the kernel acknowledge
 * what came. When a peer sends one short message after the other and nothing goes back to it,
 * reading many at a time costs both sides less. So after some messages in a row reads are put off,
 * by {@link TcpLimits#READ_PAUSE} from the last one at most, for as long as they bring so much more
 * that it is worth it. Anything sent to the peer ends that at once, as does a read in vain and a
 * thread that is going to sleep: who waits for an answer gets it as soon as it is there, and no
 * message waits until another one has come. Guarded by the lock of the endpoint.
 */
final class Moderation {
  private final LongSupplier clock;

  // Since something was sent, or there was a pause: messages, reads, their bytes, and reads in vain
  // since the last of them.
  private int messages;
  private int inVain;
  private long reads;
  private long bytes;

  private boolean moderating;
  private long readAt;

  // After how many messages it is tried; more if it was no use the last time.
  private int stream = TcpLimits.STREAM;

  /**
   * Nothing has come yet.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  Moderation(LongSupplier clock) {
    this.clock = clock;
  }

  /** Whether the connection is not to be read yet. */
  boolean putsOff() {
    if (!moderating) {
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
    messages += ended;
    inVain = 0;
    if (!moderating) {
      reads++;
      bytes += count;
      if (messages >= stream && bytes <= reads * TcpLimits.SHORT_READ) {
        moderating = true;
        readAt = clock.getAsLong();
      }
    } else if (2 * count * reads < 3 * bytes) {
      stream = Math.min(2 * stream, TcpLimits.LONGEST_STREAM);
      end();
    } else {
      stream = TcpLimits.STREAM;
    }
  }

  /** A read has brought nothing. */
  void inVain() {
    if (moderating || ++inVain > TcpLimits.STREAM_READS_IN_VAIN) {
      end();
    }
  }

  /** Reads are not put off any more until there is another stream. */
  void end() {
    moderating = false;
    messages = 0;
    inVain = 0;
    reads = 0;
    bytes = 0;
  }
}
