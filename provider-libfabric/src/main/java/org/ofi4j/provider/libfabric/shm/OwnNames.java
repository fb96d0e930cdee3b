// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * The names that endpoints of this process have unless the application gives them one. libfabric
 * names them by the number of the process, which processes in other namespaces have too that share
 * {@code /dev/shm}. So a random part follows. The number is only shown.
 */
public final class OwnNames {
  private static final String SCHEME = "fi_shm://";
  private static final int LETTERS = 13;
  private static final String NUMBER = Long.toString(ProcessHandle.current().pid());
  private static final String PROCESS = NUMBER + "-" + letters();

  /** The source that libfabric gives an endpoint without one, with its zero byte. */
  private static final byte[] UNNAMED = packed(SCHEME + NUMBER);

  private static final byte[] NAMED = packed(SCHEME + PROCESS);
  private static final Pattern GENERATED =
      Pattern.compile("[0-9]+-[a-z]{%d}:[0-9]+:[0-9]+".formatted(LETTERS));

  private OwnNames() {}

  private static String letters() {
    StringBuilder letters = new StringBuilder();
    for (long rest = new SecureRandom().nextLong() >>> 3; letters.length() < LETTERS; rest /= 26) {
      letters.append((char) ('a' + rest % 26));
    }
    return letters.toString();
  }

  private static byte[] packed(String text) {
    return (text + '\0').getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the source to open an endpoint with: that of an offer, unless the application has left
   * it to libfabric.
   */
  public static byte[] source(byte[] offered) {
    return Arrays.equals(offered, UNNAMED) ? NAMED.clone() : offered;
  }

  /** Returns whether this process has generated the name of a file. */
  static boolean isOwn(Path file) {
    return file.getFileName().toString().startsWith(PROCESS + ":");
  }

  /** Returns whether a process of ofi4j has generated the name of a file. */
  static boolean isGenerated(Path file) {
    return GENERATED.matcher(file.getFileName().toString()).matches();
  }
}
