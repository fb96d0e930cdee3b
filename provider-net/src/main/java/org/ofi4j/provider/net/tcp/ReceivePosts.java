// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.provider.net.matching.DirectedReceives;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.progress.ProgressThread;

/**
 * Posts buffers for messages, or for several ones, or asks for one that has come: the checks of
 * what the application says, and what follows from it. Holds nothing that changes; any thread may
 * use it.
 */
final class ReceivePosts {
  private static final long CLAIM = TransferFlag.CLAIM.mask();

  private final DirectedReceives directed;
  private final long common;
  private final long untagged;

  /**
   * For those who post to something that was opened with some information.
   *
   * @param keyed whether there are authorization keys that receives may name
   */
  ReceivePosts(FabricInfo info, boolean keyed) {
    directed = DirectedReceives.of(info);
    common = TcpFlags.RECEIVE | (keyed ? TcpFlags.AUTH_KEY : 0);
    untagged = common | (info.has(Capability.MULTI_RECEIVE) ? TcpFlags.MULTI_RECEIVE : 0);
  }

  /** Refuses flags that no receive of a kind knows. */
  void checkFlags(boolean tagged, MemorySegment @Nullable [] parts, long flags) {
    long known = tagged || parts != null ? common : untagged;
    if ((flags & ~known) != 0) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "flags 0x"
              + Long.toHexString(flags & ~known)
              + " mean nothing to a "
              + (tagged
                  ? "tagged receive"
                  : parts == null ? "receive" : "receive into several parts"));
    }
  }

  /**
   * Posts a receive.
   *
   * @param mover the thread that will write to the memory; null if any may
   * @param buffer takes the message
   * @param parts take it instead, one after the other, if there are any
   * @param source the handle of the only sender, or with flag {@code AUTH_KEY} of the key of the
   *     only senders; {@link Handles#UNSPECIFIED} or {@link Handles#anySourceInGroup}
   * @param flags bits of {@link TransferFlag}
   */
  void post(
      ReceivePoint at,
      ReceiveContext into,
      @Nullable ProgressThread mover,
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      boolean tagged,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    TcpFlags.checkSearch(context, flags);
    boolean unused = (flags & (TcpFlags.PEEK | TcpFlags.DISCARD)) != 0;
    if (!unused) {
      PostedPieces.checkWritable(buffer, parts, "buffer", mover);
    }
    at.lock();
    try {
      int group = at.wantedGroup(source);
      long life = Receive.UNDIRECTED;
      Sender sender = null;
      int authKey = TransferPeers.NO_AUTH_KEY;
      if ((flags & TcpFlags.AUTH_KEY) != 0) {
        directed.checkKey(tagged);
        authKey = at.authKey(source);
      } else if (directed.isDirected(tagged, at.isAnySource(source))) {
        life = at.life(source);
        sender = at.sender(source, life);
      }
      Receive receive = into.take(tagged);
      receive.set(unused ? MemorySegment.NULL : buffer, unused ? null : parts, tag, ignore);
      receive.direct(source, life, sender);
      receive.key.group = group;
      if (authKey != TransferPeers.NO_AUTH_KEY) {
        receive.directAtKey(authKey);
      }
      receive.context = context;
      receive.unasked = TcpFlags.isUnasked(flags);
      receive.silent = receive.unasked && into.isSelective();
      receive.several = (flags & TcpFlags.MULTI_RECEIVE) != 0;
      post(at.matching(), receive, flags);
    } finally {
      at.unlock();
    }
  }

  /** Posts a receive that was filled in, or asks with it for a message that has come. */
  private static void post(Matching matching, Receive filled, long flags) {
    if ((flags & TcpFlags.PEEK) != 0) {
      matching.peek(filled, (flags & CLAIM) != 0, (flags & TcpFlags.DISCARD) != 0);
    } else if ((flags & CLAIM) != 0) {
      filled.claims = true;
      matching.claim(filled, (flags & TcpFlags.DISCARD) != 0);
    } else {
      matching.post(filled);
    }
    matching.goOn();
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  static boolean cancel(ReceivePoint at, ReceiveContext from, @Nullable Object context) {
    at.lock();
    try {
      return from.cancel(context);
    } finally {
      at.unlock();
    }
  }

  /** How much of a buffer for several messages must be left for it to take another one. */
  static void minMultiReceive(ReceivePoint at, ReceiveContext into, long bytes) {
    if (bytes < 1) {
      throw new FabricException(
          Errno.EINVAL, "minimum " + bytes + " of a buffer for several messages: give 1 or more");
    }
    at.lock();
    try {
      into.minMultiReceive = bytes;
    } finally {
      at.unlock();
    }
  }
}
