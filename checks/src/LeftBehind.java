// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Looks for named vectors that the tests of this build have left behind: files in the directory of
 * this user that have come since the build began, and that no process has open. Vectors of others
 * that run meanwhile are in use, and those that were there before are not meant.
 */
final class LeftBehind {
  // As docs/internals/files.md has it: the locks of those that are attached.
  private static final long ALIVE = (1L << 40) + 16;
  private static final long PARTICIPANTS = 1024;

  private LeftBehind() {}

  /**
   * Ends with 1 if there is something.
   *
   * @param args when the build began, as in {@code 2026-01-31T12:00:00Z}
   */
  public static void main(String[] args) throws IOException {
    Instant began = Instant.parse(args[0]);
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Path directory = Path.of("/dev/shm", "ofi4j-" + user);
    List<Path> left = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.filter(LeftBehind::isControlFile).toList()) {
          try {
            if (isLeft(file, began)) {
              left.add(file);
            }
          } catch (NoSuchFileException gone) {
            // Somebody has just closed it.
            continue;
          }
        }
      }
    }
    if (!left.isEmpty()) {
      System.err.println("Tests have left named vectors behind, which nobody has open:");
      left.forEach(file -> System.err.println("  " + file));
      System.err.println("Close them where they were opened, then remove their files.");
      System.exit(1);
    }
  }

  private static boolean isControlFile(Path file) {
    return file.toString().endsWith(".control");
  }

  private static boolean isLeft(Path control, Instant began) throws IOException {
    if (Files.getLastModifiedTime(control).toInstant().isBefore(began)) {
      return false;
    }
    try (FileChannel channel =
            FileChannel.open(control, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock probe = channel.tryLock(ALIVE, PARTICIPANTS, false)) {
      return probe != null;
    }
  }
}
