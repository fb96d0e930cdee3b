// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The processes that have locks of files, as far as the system tells. */
final class HeldLocks {
  /** The file in which Linux lists all locks, a line each. */
  private static final Path LIST = Path.of("/proc/locks");

  private HeldLocks() {}

  /**
   * The process that has the lock of a byte of a file; 0 if that cannot be known, or none has it.
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
   * <p>The file is told by the major and minor number of its device, and its inode. A process that
   * waits for a lock has an arrow before the kind; a lock that reaches to the end of any file ends
   * with {@code EOF}.
   */
  static long holder(List<String> lines, long device, long inode, long position) {
    long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    long minor = (device & 0xff) | ((device >>> 12) & 0xffff_ff00L);
    String file = "%02x:%02x:%d".formatted(major, minor, inode);
    Pattern lock =
        Pattern.compile(
            "\\d+: POSIX +\\w+ +\\w+ +(\\d{1,18}) (\\w+:\\w+:%d) (\\d{1,18}) (\\d{1,19}|EOF)"
                .formatted(inode));
    Set<Long> others = new HashSet<>();
    for (String line : lines) {
      Matcher found = lock.matcher(line.trim());
      if (found.matches()
          && Long.parseLong(found.group(3)) <= position
          && (found.group(4).equals("EOF") || position <= Long.parseLong(found.group(4)))) {
        long process = Long.parseLong(found.group(1));
        if (process > 0 && found.group(2).equals(file)) {
          return process;
        }
        others.add(process);
      }
    }
    // Some file systems, such as btrfs, have another number there than files say.
    others.remove(0L);
    return others.size() == 1 ? others.iterator().next() : 0;
  }
}
