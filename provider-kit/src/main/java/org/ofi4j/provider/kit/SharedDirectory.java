// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.nio.file.Path;
import org.ofi4j.FabricException;
import org.ofi4j.core.av.CoreSharedVectors;

/**
 * The directory in which the processes of one user on a host share files: that of named vectors.
 */
public final class SharedDirectory {
  private SharedDirectory() {}

  /**
   * Returns the directory, which only the user of this process can use. It is made if it is not
   * there.
   *
   * @return the directory, in memory if the system has a file system there
   * @throws FabricException if no directory can be made, or others may use it
   */
  public static Path path() {
    return CoreSharedVectors.directory();
  }
}
