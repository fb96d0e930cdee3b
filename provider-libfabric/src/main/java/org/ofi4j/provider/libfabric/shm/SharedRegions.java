// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.MappedMemory;
import org.ofi4j.provider.libfabric.library.MappedMemory.Range;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.library.SharedFiles;

/**
 * The regions of shared memory that endpoints of this process have, each a file. libfabric gives
 * all vectors of a process a pointer to the region of each endpoint of the process that they know,
 * and unmaps the region when the endpoint is closed; the next access to it ends the process. So the
 * memory of a closed endpoint that vectors may point to stays mapped where it was until they are
 * closed: as the file itself for a few, as private memory for all others, so that they take nothing
 * of {@code /dev/shm}.
 *
 * <p>libfabric unmaps as many bytes as the region says that it has. While an endpoint is closed
 * whose region is to stay, the region says that there are none. Peers read that number when they
 * map a region: so the file is deleted before.
 *
 * <p>Thread-safe: the state is one for all domains of the process.
 */
public final class SharedRegions {
  /**
   * The peers that one vector of libfabric has known, by the files of their regions. Those that
   * were removed remain: libfabric does not clear the pointer to the region of such a peer. A
   * vector of libfabric knows at most 256 peers at a time.
   */
  public static final class Peers {
    private final Set<Path> files = new HashSet<>();

    /** Their places; null if no endpoint is bound, or the layout is not known. */
    private @Nullable PeerMap map;

    private Peers() {}

    /** Returns whether libfabric has a place for a peer, as far as that is known. */
    public boolean haveSpaceFor(byte[] address) {
      PeerMap present = map;
      return present == null || !present.isFull() || present.contains(address);
    }
  }

  /** The region of an open endpoint. */
  private static final class OpenRegion {
    private final int descriptor;

    /** The peers of the vector of the endpoint; null until the endpoint is bound to the vector. */
    private @Nullable Peers vector;

    /** The address at which libfabric has mapped it; 0 before the first use. */
    private long address;

    private OpenRegion(int descriptor) {
      this.descriptor = descriptor;
    }
  }

  /**
   * The region of a closed endpoint that stays mapped.
   *
   * @param vectors the vectors that may point to the region
   * @param descriptor of the file; -1 when a copy has taken its place
   */
  private record Kept(Path file, Range range, Peers own, Set<Peers> vectors, int descriptor) {}

  /** The version of the regions of 1.17 and 1.18, their first byte. */
  static final int V4 = 4;

  /** The offset of the process number in regions of version 4. */
  static final int V4_PROCESS = 4;

  /** Of the regions that stay mapped, so many of the last are files still. */
  private static final int FILES = 4;

  /** The bytes of a region that contain, as one word, how many bytes it has. */
  private static final int HEADER = 256;

  private static final Set<Peers> VECTORS = new HashSet<>();

  /** The regions of open endpoints, by their files. */
  private static final Map<Path, OpenRegion> OPEN = new HashMap<>();

  /** The files of all endpoints whose names the application has chosen. */
  private static final Set<Path> NAMED = new HashSet<>();

  private static final List<Kept> KEPT = new ArrayList<>();

  // Written with the lock of the class held, read without it too.
  private static volatile int closings;

  private SharedRegions() {}

  /** How many endpoints were closed. */
  public static int closings() {
    return closings;
  }

  /** A vector of libfabric is open. */
  public static synchronized Peers openVector() {
    Peers opened = new Peers();
    VECTORS.add(opened);
    return opened;
  }

  /**
   * A vector is about to know a peer.
   *
   * @return whether the vector did not know it before
   */
  public static synchronized boolean add(Peers vector, Path file) {
    return vector.files.add(file);
  }

  /** A vector is closed: what only it could point to is unmapped. */
  public static synchronized void closeVector(Peers vector) {
    VECTORS.remove(vector);
    KEPT.removeIf(each -> {
      each.vectors.remove(vector);
      if (each.vectors.isEmpty()) {
        MappedMemory.unmap(each.range);
        // Fails without effect if a copy has taken the place of the file.
        SharedFiles.close(each.descriptor);
      }
      return each.vectors.isEmpty();
    });
  }

  /**
   * An endpoint has a region.
   *
   * @param descriptor of the file, which is open for as long as the endpoint
   */
  static synchronized void opened(Path file, int descriptor) {
    OPEN.put(file, new OpenRegion(descriptor));
  }

  /** An endpoint that has a region is bound to a vector. */
  public static synchronized void bound(Path file, Peers vector, Libfabric library) {
    vector.map = PeerMap.of(file, library);
    OpenRegion open = OPEN.get(file);
    if (open != null) {
      open.vector = vector;
    }
  }

  /** A vector does not know a peer that {@link #add} has announced: libfabric refused it. */
  public static synchronized void refused(Peers vector, Path file) {
    vector.files.remove(file);
  }

  /** The descriptor of a file is about to be closed: its endpoint was closed, or never opened. */
  static synchronized void forget(Path file) {
    OPEN.remove(file);
  }

  /** Returns the address of the region of an open endpoint of this process; 0 if it is not one. */
  static synchronized long address(Path file) {
    OpenRegion region = OPEN.get(file);
    if (region == null) {
      return 0;
    }
    if (region.address == 0) {
      Range range = MappedMemory.find(file);
      region.address = range == null ? 0 : range.start();
    }
    return region.address;
  }

  /** Returns where a region is mapped that may be kept; null if it is not in one place. */
  static synchronized @Nullable Range find(Path file) {
    for (Kept each : KEPT) {
      if (each.file.equals(file)) {
        return each.range;
      }
    }
    return MappedMemory.find(file);
  }

  /** Remembers the name of an endpoint that is about to be enabled, unless it was generated. */
  static synchronized void named(Path file) {
    if (!OwnNames.isOwn(file)) {
      NAMED.add(file);
    }
  }

  /**
   * Returns whether an endpoint of this process has, or has had, a name that the application has
   * chosen. libfabric looks for the regions of the process by name, and always finds the first
   * region of a name: no message of this process would reach a second one, and libfabric would
   * write the answers to its messages to unmapped memory. A generated name is never used again.
   */
  static synchronized boolean hasHad(Path file) {
    return NAMED.contains(file);
  }

  /**
   * Returns whether a file was that of an endpoint of this process which is closed. An endpoint
   * that is being opened counts as closed.
   */
  public static synchronized boolean isClosed(Path file) {
    return !OPEN.containsKey(file) && (OwnNames.isOwn(file) || NAMED.contains(file));
  }

  /**
   * Closes an endpoint.
   *
   * @param file that of its region
   * @param own the peers of its vector
   */
  public static synchronized void close(NativeEndpoint endpoint, Path file, Peers own) {
    OpenRegion opened = OPEN.remove(file);
    closings++;
    Set<Peers> pointing = pointing(file, own);
    // The file may have been deleted, for example by the exit hook.
    int descriptor =
        opened == null || pointing.isEmpty()
            ? -1
            : MappedMemory.open(SharedFiles.path(opened.descriptor));
    if (descriptor >= 0) {
      Range kept = null;
      try {
        kept = closePointedTo(endpoint, file, descriptor);
      } finally {
        if (kept == null) {
          SharedFiles.close(descriptor);
        }
      }
      if (kept != null) {
        KEPT.add(new Kept(file, kept, own, pointing, descriptor));
        copyAllBut(FILES);
      }
    }
    // Does nothing if it is closed. Without a descriptor nothing can be kept.
    endpoint.close();
  }

  /**
   * Closes an endpoint whose region stays mapped.
   *
   * @return where the region is; null if the endpoint is still open, for libfabric to close it as
   *     it does without this class
   */
  private static @Nullable Range closePointedTo(
      NativeEndpoint endpoint, Path file, int descriptor) {
    try {
      long bytes = Files.size(SharedFiles.path(descriptor));
      Files.deleteIfExists(file);
      Range range = MappedMemory.find(file);
      long size = range == null ? 0 : sizeWord(range, bytes);
      if (size == 0) {
        return null;
      }
      RawMemory.putLong(size, 0);
      try {
        endpoint.close();
      } finally {
        RawMemory.putLong(size, bytes);
      }
      return range;
    } catch (IOException unreadable) {
      return null;
    }
  }

  /**
   * Returns the open vectors that may have a pointer to a region, or get one: those that know the
   * endpoint, and those of endpoints that the endpoint may have sent to, because a receiver inserts
   * the sender of a message. A vector has no pointer to the regions of others, so that one that
   * stays open does not keep them.
   */
  private static Set<Peers> pointing(Path file, Peers own) {
    Set<Peers> pointing = new HashSet<>();
    for (Peers each : VECTORS) {
      if (each.files.contains(file)) {
        pointing.add(each);
      }
    }
    for (Path peer : own.files) {
      OpenRegion open = OPEN.get(peer);
      if (open != null && open.vector != null) {
        pointing.add(open.vector);
      } else if (open != null) {
        // It is being opened.
        pointing.addAll(VECTORS);
      }
    }
    for (Kept each : KEPT) {
      if (own.files.contains(each.file) && VECTORS.contains(each.own)) {
        pointing.add(each.own);
      }
    }
    return pointing;
  }

  /** The address of the word that says how large a region is; 0 if it is not clear which one. */
  private static long sizeWord(Range range, long bytes) {
    long found = 0;
    for (int offset = 0; offset < HEADER; offset += Long.BYTES) {
      if (RawMemory.getLong(range.start() + offset) == bytes) {
        if (found != 0) {
          return 0;
        }
        found = range.start() + offset;
      }
    }
    return found;
  }

  /** Replaces all files of closed endpoints by copies, when {@code /dev/shm} lacks space. */
  static synchronized void giveSpaceBack() {
    copyAllBut(0);
  }

  private static void copyAllBut(int last) {
    KEPT.subList(0, Math.max(0, KEPT.size() - last))
        .replaceAll(each -> {
          if (each.descriptor < 0 || !MappedMemory.replaceByCopy(each.range, each.descriptor)) {
            return each;
          }
          SharedFiles.close(each.descriptor);
          return new Kept(each.file, each.range, each.own, each.vectors, -1);
        });
  }
}
