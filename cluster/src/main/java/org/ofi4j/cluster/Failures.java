// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.apache.zookeeper.KeeperException;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** What went wrong in ZooKeeper, in this library's words. */
final class Failures {
  private Failures() {}

  /** What is thrown by a call that is made on a closed cluster. */
  static FabricException closed() {
    return new FabricException(Errno.EINVAL, "the cluster is closed: make a new one");
  }

  /** What is thrown by a call during which the cluster was closed. */
  static FabricException closedMeanwhile() {
    return new FabricException(Errno.ECANCELED, "the cluster was closed meanwhile");
  }

  static FabricException of(String what, Exception failure) {
    if (failure instanceof FabricException known) {
      return known;
    }
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      return new FabricException(Errno.ECANCELED, "interrupted on the way to " + what, failure);
    }
    Errno errno =
        switch (failure) {
          case KeeperException.NoAuthException _ -> Errno.EACCES;
          case KeeperException.AuthFailedException _ -> Errno.EACCES;
          case KeeperException.SessionClosedRequireAuthException _ -> Errno.EACCES;
          case KeeperException.ConnectionLossException _ -> Errno.ETIMEDOUT;
          case KeeperException.OperationTimeoutException _ -> Errno.ETIMEDOUT;
          default -> Errno.EIO;
        };
    return new FabricException(errno, "cannot " + what + ": " + failure, failure);
  }
}
