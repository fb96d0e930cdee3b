// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Text that applications give, checked before it goes anywhere. */
final class Text {
  private Text() {}

  static <T> T required(@Nullable T value, String what) {
    if (value == null) {
      throw new FabricException(Errno.EINVAL, what + " is null, but a value is needed");
    }
    return value;
  }

  /** Refuses text that has no UTF-8, or is not as long as it has to be. */
  static String bounded(String what, @Nullable String given, int least, int most) {
    String text = required(given, what);
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new FabricException(
          Errno.EINVAL, what + " \"" + text + "\" contains half a surrogate pair");
    }
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < least || bytes > most) {
      throw new FabricException(
          Errno.EINVAL, what + " has " + bytes + " bytes of UTF-8; give " + least + " to " + most);
    }
    return text;
  }

  /** Refuses what cannot be one step of a path of ZooKeeper. */
  static String step(String what, @Nullable String given) {
    String text = bounded(what, given, 1, Member.MAX_NAME);
    boolean dots = text.equals(".") || text.equals("..");
    if (dots || text.equals("zookeeper") || !text.chars().allMatch(Text::isInStep)) {
      throw new FabricException(
          Errno.EINVAL,
          what
              + " \""
              + text
              + "\" cannot be part of a path of ZooKeeper: give visible characters without /");
    }
    return text;
  }

  private static boolean isInStep(int unit) {
    return unit > ' '
        && unit != '/'
        && (unit < 0x7f || unit > 0x9f)
        && (unit < 0xd800 || unit > 0xf8ff)
        && unit < 0xfff0;
  }
}
