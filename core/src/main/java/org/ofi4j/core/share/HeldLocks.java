// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Who has a lock of a file, as far as the system tells. */
final class HeldLocks {
  /** Where Linux lists all of them, a line each. */
  private static final Path LIST = Path.of("/proc/locks");

  private HeldLocks() {}

  /**
   * The process that has the lock of a byte of a file; 0 if that cannot be known, or nobody has it.
   *
   * @param device the {@code st_dev} of the file
   */
  static long holder(long device, long inode, long position) {
    try {
      return holder(Files.readAllLines(LIST, StandardCharsets.ISO_8859_1), device, inode, position);
    } catch (IOException unknown) {
      return 0;
    }
  }

  /**
   * Looks for it in such lines:
   *
   * <pre>
   * 1: POSIX  ADVISORY  WRITE 4711 00:1a:815 1099511627776 1099511627776
   * </pre>
   *
   * <p>The file is told by the major and minor number of its device, and its inode. Who waits for a
   * lock has an arrow before the kind; a lock that reaches to the end of any file ends with {@code
   * EOF}.
   */
  static long holder(List<String> lines, long device, long inode, long position) {
    long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    long minor = (device & 0xff) | ((device >>> 12) & 0xffff_ff00L);
    String file = "%02x:%02x:%d".formatted(major, minor, inode);
    Set<Long> others = new HashSet<>();
    for (String line : lines) {
      String[] fields = line.trim().split("\\s+", -1);
      boolean isAlike =
          fields.length >= 8 && fields[1].equals("POSIX") && fields[5].endsWith(":" + inode);
      long process = isAlike ? holder(fields, position) : 0;
      if (process > 0) {
        if (fields[5].equals(file)) {
          return process;
        }
        others.add(process);
      }
    }
    // Some file systems, such as btrfs, have another number there than files say.
    return others.size() == 1 ? others.iterator().next() : 0;
  }

  private static long holder(String[] fields, long position) {
    try {
      long last = fields[7].equals("EOF") ? Long.MAX_VALUE : Long.parseLong(fields[7]);
      boolean isHeld = Long.parseLong(fields[6]) <= position && position <= last;
      return isHeld ? Long.parseLong(fields[4]) : 0;
    } catch (NumberFormatException other) {
      // A line of another kind of system.
      return 0;
    }
  }
}
