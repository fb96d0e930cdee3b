// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.ofi4j.provider.libfabric.library.SharedFiles;
import org.ofi4j.provider.libfabric.library.SharedFiles.FileStatus;

/**
 * Files of endpoints of ofi4j whose process was killed. The lock of such a file can be taken, and
 * the file is marked or has a generated name. It is deleted with the lock held, and only if it
 * still has its name then: process numbers decide nothing.
 */
final class LeftOverFiles {
  /** The number of attempts: processes take a lock for a moment to see whether it is held. */
  private static final int ATTEMPTS = 20;

  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(100);

  /** The version of regions of libfabric 2.0. */
  private static final int FIRST_SAFE = 8;

  /** Regions begin with their version, other files of the same mode with other bytes. */
  private static final int LAST_VERSION = 31;

  /** No region of a release before 2.0 is smaller, and each is a power of two long. */
  private static final long LEAST = 16 << 20;

  private LeftOverFiles() {}

  /**
   * Deletes all files that were left under generated names, unless a process may still need one: up
   * to 1.22 libfabric ends a process with SIGSEGV that reads for the first time of a peer whose
   * file is gone. This method deletes files of those releases only while no endpoint is open in any
   * process.
   *
   * @return how many files were deleted
   */
  static int delete() {
    FileStatus status = new FileStatus();
    List<Path> left = new ArrayList<>();
    boolean inUse = false;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(SharedFiles.DIRECTORY)) {
      for (Path each : all) {
        if (!status.read(each)) {
          continue;
        }
        boolean generated = OwnNames.isGenerated(each);
        if (!generated && !status.isMarked()) {
          inUse |= status.isRegular() && mayBeRegion(status.bytes());
        } else if (SharedFiles.isLocked(each)) {
          inUse = true;
        } else if (generated) {
          left.add(each);
        }
      }
    } catch (IOException | DirectoryIteratorException unreadable) {
      return 0;
    }
    int oldest = inUse ? FIRST_SAFE : 1;
    return (int) left.stream().filter(each -> delete(each, oldest)).count();
  }

  /** Returns whether a file is one of ofi4j: it is marked, or its endpoint was never open. */
  private static boolean isOurs(Path path, FileStatus status) {
    return status.isMarked() || (status.isRegular() && OwnNames.isGenerated(path));
  }

  private static boolean mayBeRegion(long bytes) {
    return bytes >= LEAST && Long.bitCount(bytes) == 1;
  }

  /**
   * Deletes a file that was left.
   *
   * @return false if the file is in use, or no file of ofi4j
   */
  static boolean delete(Path path) {
    return delete(path, 1);
  }

  private static boolean delete(Path path, int oldestVersion) {
    FileStatus status = new FileStatus();
    if (!status.read(path)) {
      return true;
    }
    // Other files are not opened: to close one drops locks that the application may have on it.
    int descriptor = isOurs(path, status) ? SharedFiles.open(path) : -1;
    if (descriptor < 0) {
      return false;
    }
    try {
      if (!isFree(descriptor) || !isRegion(descriptor, oldestVersion)) {
        return false;
      }
      status.read(descriptor);
      long inode = status.inode();
      // The name may be that of another file by now.
      if (status.read(path) && status.inode() == inode) {
        Files.deleteIfExists(path);
      }
      return true;
    } catch (IOException refused) {
      return false;
    } finally {
      SharedFiles.close(descriptor);
    }
  }

  /** Locks a file until the descriptor is closed; returns false if another process has the lock. */
  private static boolean isFree(int descriptor) {
    for (int i = 0; i < ATTEMPTS; i++) {
      if (SharedFiles.lock(descriptor)) {
        return true;
      }
      LockSupport.parkNanos(PAUSE);
    }
    return false;
  }

  private static boolean isRegion(int descriptor, int oldestVersion) {
    int version = SharedFiles.readFirst(descriptor);
    return version >= oldestVersion && version <= LAST_VERSION;
  }
}
