// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loads what the first vector with a name needs of this package, in the thread that calls. */
public final class FirstNamedVector {
  private FirstNamedVector() {}

  /**
   * Loads it, what is needed last first.
   *
   * @throws IllegalAccessException never, as the classes are of this package
   */
  public static void load() throws IllegalAccessException {
    MethodHandles.Lookup own = MethodHandles.lookup();
    Class<?>[] classes = {
      VectorFile.class,
      FileMemory.class,
      OwnProcess.class,
      ControlBlock.class,
      Participants.class,
      WriterLock.class,
      UndisturbedChannel.class,
      ControlFile.class,
      Membership.class,
      ExitHook.class,
      OpenControlFiles.class,
      Turns.class,
      Memberships.class,
      NamedVector.class,
      VectorTraits.class,
      ShareDirectory.class
    };
    for (Class<?> each : classes) {
      own.ensureInitialized(each);
    }
    try {
      // Who owns something, as the directory of the vectors is asked about.
      Files.getOwner(Path.of("/"));
    } catch (IOException | UnsupportedOperationException none) {
      return;
    }
  }
}
