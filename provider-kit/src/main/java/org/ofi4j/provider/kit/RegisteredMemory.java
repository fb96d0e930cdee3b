// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Handles;
import org.ofi4j.RemotePlace;

/**
 * Memory that peers reach through transports of the domain, which {@link Regions} has by key. The
 * application has it as a {@link KitRegion}.
 *
 * <p>Endpoints touch the memory with their lock held, and only after they have seen under that lock
 * that the region is open; so a thread that has closed it waits for each lock only once.
 */
public final class RegisteredMemory implements RegionTransport {
  private final Regions regions;
  private final MemorySegment memory;
  private final long access;
  private final long key;
  private final long number;

  // Set before the region is open.
  private @Nullable RegionKeys keys;
  private volatile boolean open;

  /**
   * Creates a region that is not open yet.
   *
   * @param number tells it from the other regions of the domain in words, where its key must not
   *     stand
   */
  RegisteredMemory(Regions regions, MemorySegment memory, long access, long key, long number) {
    this.regions = regions;
    this.memory = memory;
    this.access = access;
    this.key = key;
    this.number = number;
  }

  /**
   * Opens the region to peers.
   *
   * @param admitted the authorization keys that it is for; null where there are none
   */
  void open(@Nullable RegionKeys admitted) {
    keys = admitted;
    open = true;
  }

  boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
    regions.remove(this);
    if (keys != null) {
      keys.close();
    }
  }

  @Override
  public long key() {
    return key;
  }

  @Override
  public RemotePlace place() {
    return new RemotePlace(0, memory.byteSize(), key);
  }

  /**
   * Returns the memory of the region, which a transport touches after {@link #refusal(Access, long,
   * long)} has returned null.
   *
   * @return the memory
   */
  public MemorySegment memory() {
    return memory;
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
    return open ? PostedMemory.refusal(memory, Thread.currentThread()) : "is closed";
  }

  @Override
  public String toString() {
    return "memory region " + number + " of " + memory.byteSize() + " bytes";
  }
}
