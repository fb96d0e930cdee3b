// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Domain;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;

/**
 * A memory region. Endpoints touch its memory with their lock held, and only after they have seen
 * under that lock that it is open; so a thread that has closed it waits for each lock only once.
 */
public final class RegisteredMemory extends CoreObject implements MemoryRegion {
  private final Regions regions;
  private final Domain domain;
  private final MemorySegment memory;
  private final long access;
  private final long key;
  private final long number;
  private final @Nullable RegionKeys keys;

  /**
   * A region that is open.
   *
   * @param allocated the lifetime of the memory, if the domain has allocated it; else null
   * @param number tells it from the other regions of the domain in words, where its key must not
   *     stand
   * @param asked the authorization keys that it is for, or null where there are none
   * @throws FabricException if there are none of those that were asked for
   */
  RegisteredMemory(
      Regions regions,
      Domain domain,
      @Nullable Lifetime allocated,
      MemorySegment memory,
      long access,
      long key,
      long number,
      RegionKeys.@Nullable Asked asked,
      @Nullable Object context) {
    super(context);
    this.regions = regions;
    this.domain = domain;
    this.memory = memory;
    this.access = access;
    this.key = key;
    this.number = number;
    keys = asked == null ? null : asked.hold(this);
    try {
      if (asked != null) {
        // An open vector keeps its domain open.
        lifetime.hold(asked.peers().lifetime());
      }
      if (allocated != null) {
        lifetime.hold(allocated);
      }
      lifetime.hold(((CoreObject) domain).lifetime());
    } catch (FabricException closedMeanwhile) {
      letKeysGo();
      throw closedMeanwhile;
    }
  }

  @Override
  protected void release() {
    regions.remove(this);
    letKeysGo();
  }

  private void letKeysGo() {
    if (keys != null) {
      keys.close();
    }
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long access() {
    return access;
  }

  @Override
  public long key() {
    return key;
  }

  /**
   * Returns whether peers under an authorization key may reach the region.
   *
   * @param peers those of the endpoint through which the peer comes; null if it has no keys
   * @param authKey the number of the key in the vector of {@code peers}
   * @return true if they may
   */
  public boolean admits(@Nullable Peers peers, int authKey) {
    return keys == null || keys.contain(peers, authKey);
  }

  /**
   * Returns the only peer that may reach the region, among those that it admits.
   *
   * @return the handle of an entry, or {@link Handles#UNSPECIFIED} if it is for all of them
   */
  public long onlyEntry() {
    return keys == null ? Handles.UNSPECIFIED : keys.entry;
  }

  /**
   * Returns the generation of {@link #onlyEntry}; see {@link Peers#generation}.
   *
   * @return the generation; 0 if the region is for all peers
   */
  public long generationOfEntry() {
    return keys == null ? 0 : keys.generation;
  }

  /**
   * Returns why a peer cannot have bytes of the region now.
   *
   * @param wanted the access that the region must grant
   * @param address the first of the bytes, as the peer says it
   * @param size how many, as the peer says it
   * @return the reason, which follows the name of the region; null if the peer can have them
   */
  public @Nullable String refusal(Access wanted, long address, long size) {
    if ((access & wanted.mask()) == 0) {
      return "does not grant " + wanted;
    }
    // Both are any numbers.
    if (address < 0 || size < 0 || size > memory.byteSize() - address) {
      return "has %s bytes, but %s at %s were asked for"
          .formatted(
              memory.byteSize(), Long.toUnsignedString(size), Long.toUnsignedString(address));
    }
    return refusal();
  }

  /**
   * Returns why this thread cannot use the memory of the region now.
   *
   * @return the reason, which follows the name of the region; null if it can
   */
  public @Nullable String refusal() {
    return lifetime.isOpen() ? PostedMemory.refusal(memory, Thread.currentThread()) : "is closed";
  }

  @Override
  public String toString() {
    return "memory region " + number + " of " + memory.byteSize() + " bytes";
  }
}
