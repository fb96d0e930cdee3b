// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
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

  /** Returns the exception for a join of a group that has been ended. */
  static FabricException ended(String group) {
    return new FabricException(
        Errno.ENOENT,
        "group "
            + group
            + " was ended; join again, and if that fails in this way, call Cluster.end again, which"
            + " was interrupted");
  }

  /** Whether ZooKeeper refuses what this client has no right to, however often it is tried. */
  static boolean isDenied(Code code) {
    return errno(code) == Errno.EACCES;
  }

  /** Reports an answer of ZooKeeper. */
  static FabricException of(String what, Code code) {
    return of(what, KeeperException.create(code));
  }

  static FabricException of(String what, Exception failure) {
    if (failure instanceof FabricException known) {
      return known;
    }
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      return new FabricException(Errno.ECANCELED, "interrupted on the way to " + what, failure);
    }
    Errno errno = failure instanceof KeeperException known ? errno(known.code()) : Errno.EIO;
    String remedy =
        errno == Errno.EACCES
            ? "; give the client an authorization, or the nodes an access control list that lets it"
            : "";
    return new FabricException(errno, "cannot " + what + ": " + failure + remedy, failure);
  }

  private static Errno errno(Code code) {
    return switch (code) {
      case NOAUTH, AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH -> Errno.EACCES;
      case CONNECTIONLOSS, OPERATIONTIMEOUT -> Errno.ETIMEDOUT;
      default -> Errno.EIO;
    };
  }
}
