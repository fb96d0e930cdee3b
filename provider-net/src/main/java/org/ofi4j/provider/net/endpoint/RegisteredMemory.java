// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.provider.kit.PostedMemory;

/**
 * A memory region. Endpoints touch its memory with their lock held, and only after they have seen
 * under that lock that it is open; so whoever has closed it need only wait for each lock once.
 */
public final class RegisteredMemory extends CoreObject implements MemoryRegion {
  private final EndpointDomain domain;
  private final MemorySegment memory;
  private final long access;
  private final long key;
  private final long number;
  private final @Nullable RegionKeys keys;

  /**
   * A region that is open.
   *
   * @param number tells it from the other regions of the domain in words, where its key must not
   *     stand
   * @param asked the authorization keys that it is for, or null where there are none
   * @throws FabricException if there are none of those that were asked for
   */
  RegisteredMemory(
      EndpointDomain domain,
      MemorySegment memory,
      long access,
      long key,
      long number,
      RegionKeys.@Nullable Asked asked,
      @Nullable Object context) {
    super(context);
    this.domain = domain;
    this.memory = memory;
    this.access = access;
    this.key = key;
    this.number = number;
    keys = asked == null ? null : asked.hold(this);
    try {
      if (asked != null) {
        // An open vector keeps its domain open.
        lifetime.hold(asked.vector().lifetime());
      }
      Lifetime allocated = domain.allocatedMemories().owner(memory);
      if (allocated != null) {
        lifetime.hold(allocated);
      }
      lifetime.hold(domain.lifetime());
    } catch (FabricException closedMeanwhile) {
      letKeysGo();
      throw closedMeanwhile;
    }
  }

  @Override
  protected void release() {
    domain.regions().remove(this);
    letKeysGo();
  }

  private void letKeysGo() {
    if (keys != null) {
      keys.close();
    }
  }

  @Override
  public EndpointDomain domain() {
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
   * Whether it is for peers under a key.
   *
   * @param vector that of the endpoint through which the peer comes; null if it has no keys
   */
  public boolean admits(@Nullable CoreAddressVector vector, int authKey) {
    return keys == null || keys.contain(vector, authKey);
  }

  /**
   * Whose alone it is, among those that it admits.
   *
   * @return the handle of an entry, or {@link Handles#UNSPECIFIED} if it is for all of them
   */
  public long onlyEntry() {
    return keys == null ? Handles.UNSPECIFIED : keys.entry;
  }

  /** Which generation of {@link #onlyEntry} that is; see {@link TransferPeers#generation}. */
  public long generationOfEntry() {
    return keys == null ? 0 : keys.generation;
  }

  /**
   * Why a peer cannot have bytes of it now, or null if it can.
   *
   * @param address the first of the bytes, as the peer says it
   * @param size how many, as the peer says it
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

  /** Why its memory cannot be used by this thread now, or null if it can. */
  public @Nullable String refusal() {
    return lifetime.isOpen() ? PostedMemory.refusal(memory, Thread.currentThread()) : "is closed";
  }

  @Override
  public String toString() {
    return "memory region " + number + " of " + memory.byteSize() + " bytes";
  }
}
