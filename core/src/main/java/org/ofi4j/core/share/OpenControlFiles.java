// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Which control files this process has open. Locks of files belong to processes: if one opened a
 * file twice, to close it once would end the locks of both, and whoever has them would count as
 * dead. Within one copy of these classes nobody does that. Other class loaders may have loaded
 * copies of their own, which share nothing but what all of the process shares: so the files are
 * listed in its system properties, each under a name that begins with {@value #PREFIX}.
 *
 * <p>Any thread may call.
 */
final class OpenControlFiles {
  private static final String PREFIX = "ofi4j.share.open.";

  /** Under which names these classes have listed files. */
  private static final Map<Path, String> OPEN = new ConcurrentHashMap<>();

  private OpenControlFiles() {}

  /**
   * Says that a file is about to be opened.
   *
   * @throws FabricException with {@link Errno#EBUSY} if this process has it open
   */
  static void open(Path control) throws IOException {
    Path parent = control.toAbsolutePath().getParent();
    // Whichever way leads there.
    Path real = parent == null ? control : parent.toRealPath().resolve(control.getFileName());
    String key = PREFIX + real;
    Object owner = System.getProperties().putIfAbsent(key, owner());
    if (owner != null) {
      throw new FabricException(
          Errno.EBUSY,
          ("%s is open in this process already, by classes of %s, and these are of %s: a"
                  + " process must not open it twice, as the system would take its locks away when"
                  + " either is closed; let one class loader load ofi4j for all, or close it there")
              .formatted(control, owner, owner()));
    }
    OPEN.put(control, key);
  }

  private static String owner() {
    return String.valueOf(OpenControlFiles.class.getClassLoader());
  }

  static void close(Path control) {
    String key = OPEN.remove(control);
    if (key != null) {
      System.getProperties().remove(key);
    }
  }
}
