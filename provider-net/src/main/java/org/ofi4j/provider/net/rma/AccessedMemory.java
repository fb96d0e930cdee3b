// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Handles;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Pieces;
import org.ofi4j.provider.kit.Regions;
import org.ofi4j.provider.kit.RegisteredMemory;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What one frame of a peer reaches of our memory: up to four places in regions, as one piece after
 * the other. Nothing else touches the memory of regions, and each touch is preceded by a {@link
 * #check}, because regions may be closed and memory freed between any two of them.
 */
public final class AccessedMemory {
  /** Knows which sender an entry of a vector is. */
  @FunctionalInterface
  public interface Entries {
    /** Whether a sender is that of a handle in one generation of its entry. */
    boolean is(Sender sender, long handle, long generation);
  }

  /**
   * What peers may reach.
   *
   * @param keyed the vector whose authorization keys regions are for; null without such keys
   * @param entries tells senders apart, where memory is for one of them
   */
  public record Reachable(Regions regions, @Nullable Peers keyed, Entries entries) {}

  private final @Nullable RegisteredMemory[] regions =
      new @Nullable RegisteredMemory[FrameHeader.MAX_SEGMENTS];
  private int count;

  /**
   * Looks up what a frame reaches.
   *
   * @param from who sent it, and under which authorization key
   * @param all what peers may reach
   * @param into becomes the memory
   * @throws ProtocolException if the peer may not reach one of the places; nothing was touched then
   */
  void reach(FrameHeader header, @Nullable Sender from, Reachable all, Access access, Pieces into)
      throws ProtocolException {
    for (int i = 0; i < header.segments(); i++) {
      long key = header.key(i);
      long address = header.address(i);
      long size = header.length(i);
      RegisteredMemory region = all.regions.find(key);
      if (region == null) {
        // Not which: it may be that of a region elsewhere.
        throw new ProtocolException("it uses a key which no open region has");
      }
      if (!region.admits(all.keyed, from == null ? Peers.NO_AUTH_KEY : from.authKey)) {
        throw new ProtocolException(
            "it may not use " + region + " under the authorization key that it has");
      }
      if (region.onlyEntry() != Handles.UNSPECIFIED
          && (from == null
              || !all.entries.is(from, region.onlyEntry(), region.generationOfEntry()))) {
        throw new ProtocolException("it may not use " + region + ", which is for another peer");
      }
      String refusal = region.refusal(access, address, size);
      if (refusal != null || size > TcpLimits.MAX_MESSAGE - into.length()) {
        throw new ProtocolException(
            "it may not use " + region + ", which " + (refusal == null ? "is too long" : refusal));
      }
      regions[i] = region;
      count = i + 1;
      if (i == 0) {
        into.set(region.memory(), address, size);
      } else {
        into.add(region.memory(), address, size);
      }
    }
  }

  /**
   * Makes sure that the memory may be touched now, with the lock of the endpoint held.
   *
   * @throws IllegalStateException if it may not
   */
  void check() {
    for (int i = 0; i < count; i++) {
      RegisteredMemory region = regions[i];
      String refusal = region == null ? null : region.refusal();
      if (refusal != null) {
        throw new IllegalStateException(region + " " + refusal);
      }
    }
  }

  void clear() {
    for (int i = 0; i < count; i++) {
      regions[i] = null;
    }
    count = 0;
  }
}
