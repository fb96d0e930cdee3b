// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.MappedMemory;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The region of an open {@code shm} endpoint, and the requests to connect that the endpoint has
 * sent. This class writes three things to the region that libfabric does not write.
 *
 * <p><b>The addresses of peers in the same process</b>, from libfabric 2.5 on. A peer that sends
 * more than 192 bytes passes a pointer into its own region. It reads the address at which the
 * receiver has mapped that region in the table of peers of the receiver. libfabric writes the
 * address when it maps the region of a peer. It does not write the address for a peer of the same
 * process, whose region is mapped already, unless that peer was the first to connect ({@code
 * smr_map_to_region}). The pointer is then one near 0, and the receiver ends with SIGSEGV when it
 * reads its queue ({@code smr_progress_cmd}). The index of a peer in the table is not known before
 * libfabric has asked the peer to connect. So {@link #connect} writes the address to each entry
 * whose peer was not asked and whose address is 0 or was written by this class. libfabric replaces
 * the address in an entry when it maps a peer of another process.
 *
 * <p><b>The process number</b>, in 1.17, when the endpoint is closed. A receiver copies a large
 * message from the memory of the sender when the message finds a receive. The sender may have
 * closed its endpoint by then, and may use the memory again: the receiver would take other bytes
 * for the message. Receivers read the process number in the region of the sender for each copy.
 * Without a number there the copy fails, and the receive ends with an error. In 2.6 and 2.7 the
 * {@link TransmitSlots} have the addresses that peers copy from.
 *
 * <p><b>Whether messages are copied directly</b>, up to 1.18: see {@link #copyDirectly}.
 *
 * <p>Guarded by the lock of the domain. Peers write concurrently to other words of the table.
 *
 * <pre>
 *   region up to 1.18:  0 version, 4 (1) | 4 process number (4) | 8 direct copies (1)
 *                       | 9 of messages to itself (1) | 16 where its process has it (8)
 *
 *   later regions:      0 version (1) | offset of the table (8): 104 in version 9, 168 in version 10
 *   table:              256 entries of 64 bytes
 *   an entry:           0 index in the table of the peer, -1 until connected (8)
 *                       | 12 asked to connect (2) | 16 address of the region of the peer (8)
 * </pre>
 */
public final class EndpointRegion {
  private static final int V4_COPIES = 8;
  private static final int V4_OWN_COPIES = 9;
  private static final int V4_ADDRESS = 16;
  private static final byte COPIES = 1;
  private static final byte COPIES_NOT = 2;
  private static final int V9 = 9;
  private static final int V10 = 10;
  private static final int V9_TABLE = 104;
  private static final int V10_TABLE = 168;
  private static final int PEERS = 256;
  private static final int ENTRY = 64;
  private static final int ASKED = 12;
  private static final int ADDRESS = 16;
  private static final int NOT_CONNECTED = -1;

  /**
   * The time for which the closing of an endpoint waits for peers that hold the locks of their
   * regions. They hold them for microseconds, unless they are stopped.
   */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

  private final Path file;
  private final byte[] name;
  private final TransmitSlots slots;

  /** The peers that have taken an operation, by the handles that libfabric has given them. */
  private @Nullable PeerFile[] connected = new @Nullable PeerFile[PEERS];

  /**
   * The peers that may not have read the request to connect. The value is the number of commands
   * that a peer has read when it has read the request. The exit hook reads the map without the lock
   * of the domain.
   */
  private final Map<PeerFile, Long> requests = new ConcurrentHashMap<>();

  /** The addresses that this class has written. */
  private final Set<Long> written = new HashSet<>();

  /** Whether this class knows the layout of the commands that peers have not read. */
  private final boolean knowsCommands;

  /** Whether a process that reads a request of an endpoint which is gone ends. */
  private final boolean needsRead;

  /** The places of the vector of the endpoint; null if their layout is not known. */
  private final @Nullable PeerMap map;

  // Written by the exit hook.
  private volatile boolean exits;

  /**
   * The region of an endpoint that is open, which is in a file.
   *
   * @param name the packed address of the endpoint
   */
  public EndpointRegion(Path file, byte[] name, Libfabric library) {
    this.file = file;
    this.name = name;
    slots = new TransmitSlots(file, library);
    knowsCommands = library.isBefore(1, 18);
    needsRead = library.isBefore(2, 0);
    map = PeerMap.of(file, library);
  }

  /**
   * Drops the requests to connect of peers that the vector has no place for, as far as that is
   * known. Called before libfabric reads commands. The peers fail with ETIMEDOUT.
   */
  public void dropRequestsWithoutPlace() {
    PeerMap peers = map;
    if (peers != null && peers.isFullForRequests()) {
      UnreadCommands.dropRequests(SharedRegions.address(file), peers);
    }
  }

  /** Returns the operations of the endpoint as they are in the region. */
  public TransmitSlots slots() {
    return slots;
  }

  /**
   * Returns whether a peer has taken an operation.
   *
   * @param handle the handle of the peer, which another peer may have had before
   */
  @SuppressWarnings("ReferenceEquality") // a peer is itself and no other
  public boolean isConnected(PeerFile peer, long handle) {
    return handle < connected.length && connected[(int) handle] == peer;
  }

  /**
   * Prepares the first operation to a peer, with which libfabric asks the peer to connect.
   *
   * @return false if the peer must not be asked, because the process exits
   */
  public boolean connect(PeerFile peer) {
    boolean asked = requests.put(peer, Long.MAX_VALUE) != null;
    // After the request is noted: the exit hook reads in the opposite order.
    if (exits && !asked) {
      requests.remove(peer);
      return false;
    }
    copyDirectly(peer);
    long address = SharedRegions.address(peer.path());
    long table = address == 0 ? 0 : table();
    if (table == 0) {
      return true;
    }
    written.add(address);
    for (int i = 0; i < PEERS; i++) {
      long entry = table + (long) ENTRY * i;
      if (RawMemory.getLong(entry) == NOT_CONNECTED && RawMemory.getShort(entry + ASKED) == 0) {
        long present = RawMemory.getLong(entry + ADDRESS);
        if (present == 0 || written.contains(present)) {
          RawMemory.putLong(entry + ADDRESS, address);
        }
      }
    }
    return true;
  }

  /**
   * Sends large messages by direct copies, up to 1.18, if this process and the peer can copy. An
   * endpoint of libfabric tries that once, with the first peer that it maps, or takes over what
   * that peer has found. If the process of that peer has ended, it finds that they cannot, and its
   * peers take that over in turn. Messages then pass in parts, and stop for ever if endpoints send
   * to each other at the same time. If {@code FI_SHM_DISABLE_CMA} forbids copies, the endpoint may
   * not copy from itself either.
   */
  private void copyDirectly(PeerFile peer) {
    long region = SharedRegions.address(file);
    if (region == 0
        || RawMemory.getByte(region) != SharedRegions.V4
        || RawMemory.getByte(region + V4_COPIES) != COPIES_NOT
        || RawMemory.getByte(region + V4_OWN_COPIES) == COPIES_NOT) {
      return;
    }
    int process = (int) peer.read(SharedRegions.V4_PROCESS);
    long address = peer.read(V4_ADDRESS) + SharedRegions.V4_PROCESS;
    if (process != 0 && MappedMemory.isReadable(process, address, process)) {
      RawMemory.putByte(region + V4_COPIES, COPIES);
    }
  }

  /**
   * Notes that a peer has taken an operation. It may have sent a request to this endpoint, and not
   * have read the request of this endpoint yet.
   */
  public void connected(PeerFile peer, long handle) {
    if (handle >= connected.length) {
      connected = Arrays.copyOf(connected, Math.max((int) handle + 1, 2 * connected.length));
    }
    connected[(int) handle] = peer;
    if (knowsCommands) {
      long written = UnreadCommands.written(peer);
      requests.computeIfPresent(peer, (_, _) -> written);
    } else {
      requests.remove(peer);
    }
  }

  /**
   * Returns whether the endpoint may be closed only when peers have read its requests to connect:
   * from 1.18 on, before 2.0, requests cannot be withdrawn.
   */
  public boolean awaitsRequests() {
    return !knowsCommands && needsRead && !unreadRequests().isEmpty();
  }

  /**
   * Withdraws the requests to connect, because the process exits. From now on no peer is asked. Any
   * thread may call.
   *
   * @return whether the file may be deleted; false if a peer may end then, because it has a request
   *     to read
   */
  public boolean prepareExit() {
    exits = true;
    if (!needsRead) {
      return true;
    }
    long deadline = System.nanoTime() + PATIENCE;
    boolean withdrawn = true;
    for (PeerFile each : requests.keySet()) {
      withdrawn &= knowsCommands && UnreadCommands.withdrawAtExit(each, name, deadline);
    }
    return withdrawn;
  }

  /** Returns the peers that are there and may not have read the request to connect. */
  private Set<PeerFile> unreadRequests() {
    requests.entrySet().removeIf(each -> each.getKey().isEnded() || isRead(each));
    return requests.keySet();
  }

  private boolean isRead(Map.Entry<PeerFile, Long> request) {
    return knowsCommands && UnreadCommands.read(request.getKey()) >= request.getValue();
  }

  /**
   * Makes copies fail that peers have not begun, and waits for the others. The endpoint is about to
   * be closed.
   *
   * <p>In 1.17 the requests to connect are withdrawn before: a peer that reads one compares the
   * process number, and would map the region again. The file is deleted before the process number
   * is cleared, too. libfabric gives a peer whose file has no process number a place that the next
   * peer gets as well. {@link PeerFile} finds that a peer without a file is gone, so nothing is
   * sent to that place for it.
   *
   * @param receivers peers that have not ended a message of the endpoint
   */
  public void endCopies(Collection<PeerFile> receivers) {
    slots.endCopies();
    long region = knowsCommands ? SharedRegions.address(file) : 0;
    if (region == 0 || RawMemory.getByte(region) != SharedRegions.V4) {
      return;
    }
    long deadline = System.nanoTime() + PATIENCE;
    unreadRequests().forEach(each -> UnreadCommands.withdrawRequest(each, name, deadline));
    try {
      Files.deleteIfExists(file);
    } catch (IOException remains) {
      return;
    }
    RawMemory.putInt(region + SharedRegions.V4_PROCESS, 0);
    // A peer may have read the number before.
    receivers.forEach(each -> UnreadCommands.awaitCopy(each, deadline));
  }

  /** Returns the address of the table; 0 in releases that do not need what is written there. */
  private long table() {
    long region = SharedRegions.address(file);
    if (region == 0) {
      return 0;
    }
    return switch (RawMemory.getByte(region)) {
      case V9 -> region + RawMemory.getLong(region + V9_TABLE);
      case V10 -> region + RawMemory.getLong(region + V10_TABLE);
      default -> 0;
    };
  }
}
