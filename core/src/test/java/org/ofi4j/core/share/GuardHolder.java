// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A process that keeps the guard of a control file until its input ends, as if it were stopped; or
 * with the argument {@code writer} the lock of all writers.
 */
public final class GuardHolder {
  private static final long GUARD = 1L << 40;

  private GuardHolder() {}

  public static void main(String[] args) throws IOException {
    Path control = Path.of(args[0]);
    boolean isWriter = args.length > 1 && args[1].equals("writer");
    try (FileChannel file =
            FileChannel.open(control, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock guard = file.lock(isWriter ? GUARD + 1 : GUARD, 1, false)) {
      System.out.println(guard.isValid() ? "ready" : "no guard");
      System.out.flush();
      while (System.in.read() >= 0) {}
    }
  }
}
