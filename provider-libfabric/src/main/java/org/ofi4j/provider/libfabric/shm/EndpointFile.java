// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.ExitHook;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.library.SharedFiles;
import org.ofi4j.provider.libfabric.library.SharedFiles.FileStatus;
import org.ofi4j.provider.libfabric.library.SharedMemorySpace;

/**
 * The file of an endpoint of provider {@code shm}, from before libfabric opens it until the
 * endpoint is closed.
 *
 * <p>The memory of the file is reserved first. Otherwise the first write to a page for which {@code
 * /dev/shm} has no space ends the process with SIGBUS, in {@code fi_enable} or later. libfabric
 * takes a file that is there if the file has the version of its regions and no process number; it
 * deletes one of another version.
 *
 * <p>A descriptor holds the lock of the file. The file gets its name when it is locked, and is
 * marked when the endpoint is open. So a marked file without lock is one that a process has left
 * that was killed.
 *
 * <p>Guarded by the lock of the domain, except for {@link #exit} and {@link #delete}.
 */
public final class EndpointFile implements AutoCloseable {
  /** The number of attempts to take a name that other processes take and leave concurrently. */
  private static final int ATTEMPTS = 10;

  /** The version that regions had when an endpoint was last opened; 0 before that. */
  private static volatile int lastVersion;

  private final Libfabric library;
  private final long inode;
  private final Path path;
  private final int descriptor;
  private volatile BooleanSupplier mayDelete = () -> true;
  private final Runnable exit = this::exit;
  private boolean closed;

  private EndpointFile(Libfabric library, Path path, int descriptor) {
    this.library = library;
    this.path = path;
    this.descriptor = descriptor;
    FileStatus status = new FileStatus();
    status.read(descriptor);
    inode = status.inode();
    ExitHook.add(exit);
  }

  /**
   * Creates the file of an endpoint that is about to be enabled.
   *
   * @param name the packed address that the endpoint has
   * @param transmits how many transmits may be under way
   * @param receives how many receives may be posted
   * @return the file; null if the name is none that a file can have
   * @throws FabricException with {@link Errno#ENOMEM} if {@code /dev/shm} has not enough space,
   *     with {@link Errno#EADDRINUSE} if an endpoint of this process has or had the name, or {@link
   *     Errno#EBUSY} if one of another process has it
   */
  public static @Nullable EndpointFile create(
      byte[] name, long transmits, long receives, Libfabric library) {
    Path path = PeerFile.of(name);
    if (path == null) {
      return null;
    }
    if (SharedRegions.hasHad(path)) {
      throw new FabricException(
          Errno.EADDRINUSE,
          ("an endpoint of this process has or had the name %s, and libfabric sends to the memory"
                  + " of that one until the process ends: take another address, or none")
              .formatted(path.getFileName()));
    }
    if (lastVersion == 0) {
      LeftOverFiles.delete();
    }
    int descriptor = SharedFiles.create();
    if (descriptor < 0) {
      throw new FabricException(
          Errno.EIO,
          "no file can be created in %s: it must be there and writable, and the process must have"
                  .formatted(SharedFiles.DIRECTORY)
              + " descriptors left (ulimit -n)");
    }
    try (Rollback rollback = new Rollback()) {
      rollback.add(() -> SharedFiles.close(descriptor));
      reserve(descriptor, transmits, receives, library);
      SharedFiles.writeFirst(descriptor, (byte) version(library));
      link(descriptor, path);
      SharedRegions.named(path);
      return rollback.keep(new EndpointFile(library, path, descriptor));
    }
  }

  private static void reserve(int descriptor, long transmits, long receives, Libfabric library) {
    long bytes = SharedMemorySpace.ofEndpoint(transmits, receives, library);
    if (SharedFiles.reserve(descriptor, bytes) == 0) {
      return;
    }
    SharedRegions.giveSpaceBack();
    LeftOverFiles.delete();
    if (SharedFiles.reserve(descriptor, bytes) != 0) {
      throw new FabricException(Errno.ENOMEM, SharedMemorySpace.lacking(bytes, library));
    }
  }

  private static void link(int descriptor, Path path) {
    for (int i = 0; i < ATTEMPTS; i++) {
      if (SharedFiles.link(descriptor, path)) {
        return;
      }
      if (!LeftOverFiles.delete(path)) {
        throw new FabricException(
            Errno.EBUSY,
            "%s is in use, or was left by a killed process that did not use ofi4j: take another"
                    .formatted(path)
                + " address, or remove the file if no process uses it");
      }
    }
    throw new FabricException(
        Errno.EINVAL, "no file can have the name %s: take another address".formatted(path));
  }

  /** Returns the version that libfabric gives its regions, as far as that is known. */
  private static int version(Libfabric library) {
    if (lastVersion != 0) {
      return lastVersion;
    }
    if (library.isBefore(1, 19)) {
      return 4;
    }
    if (library.isBefore(2, 0)) {
      return library.isBefore(1, 20) ? 5 : library.isBefore(1, 21) ? 6 : 7;
    }
    return library.isBefore(2, 5) ? 8 : 10;
  }

  /** Sets the version of the next file, as for a release that is not known. */
  static void expectVersion(int version) {
    lastVersion = version;
  }

  /**
   * Marks the file as that of an endpoint that is open.
   *
   * @param name the packed address that the endpoint has now: if its regions have an unknown
   *     version, libfabric has deleted the file, and made one of another name
   * @return this, or the file that libfabric has made
   * @throws FabricException with {@link Errno#ENOMEM} if that file lacks memory
   */
  public EndpointFile enabled(byte[] name) {
    Path present = PeerFile.of(name);
    EndpointFile actual = this;
    if (present != null && !present.equals(path)) {
      actual = new EndpointFile(library, present, SharedFiles.open(present));
      close();
    }
    try {
      actual.keepMemory();
    } catch (FabricException refused) {
      actual.close();
      throw refused;
    }
    SharedRegions.opened(actual.path, actual.descriptor);
    return actual;
  }

  private void keepMemory() {
    FileStatus status = new FileStatus();
    if (!status.read(descriptor) || !SharedFiles.lock(descriptor)) {
      throw new FabricException(
          Errno.EIO,
          "%s cannot be opened or locked: check the limit of descriptors".formatted(path));
    }
    // It is longer than was reserved if it is of a release that is not known.
    if (SharedFiles.reserve(descriptor, status.bytes()) != 0) {
      throw new FabricException(Errno.ENOMEM, SharedMemorySpace.lacking(status.bytes(), library));
    }
    lastVersion = SharedFiles.readFirst(descriptor);
    SharedFiles.mark(descriptor);
  }

  /**
   * Sets what the exit hook calls before it deletes the file. A file that it keeps is deleted like
   * that of a process that was killed.
   *
   * @param mayDelete returns whether the file may be deleted
   */
  public void atExit(BooleanSupplier mayDelete) {
    this.mayDelete = mayDelete;
  }

  /**
   * Deletes the file at the exit of the process, unless a peer needs it. libfabric's own handlers
   * of signals would do that, but they are undone. Other threads go on and may use the endpoint, so
   * nothing native is touched: a file that is mapped stays there for those that have mapped it.
   */
  private void exit() {
    if (mayDelete.getAsBoolean()) {
      delete();
    }
  }

  /** Deletes the file if it still is this one. Any thread may call. */
  public void delete() {
    FileStatus status = new FileStatus();
    try {
      if (status.read(path) && status.inode() == inode) {
        Files.deleteIfExists(path);
      }
    } catch (IOException kept) {
      // The file stays, and the next process that needs its memory deletes it.
      return;
    }
  }

  /** Ends the lock, when the endpoint is closed; deletes the file if that has not happened. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ExitHook.remove(exit);
      SharedRegions.forget(path);
      delete();
      SharedFiles.close(descriptor);
    }
  }
}
