// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Where in ZooKeeper a cluster is, and who this process is. Immutable; each {@code with} method
 * gives a changed copy.
 *
 * @param root the path below which groups are, {@code /ofi4j} if nothing is said
 * @param host the name of this host, the same in all its processes and in no other host's
 * @param timeout how long calls wait for ZooKeeper that have no time-out of their own; 15 s if
 *     nothing is said. What Curator does within a call is bounded by the time-outs and the retry
 *     policy of the client
 */
public record ClusterOptions(String root, String host, Duration timeout) {
  /** The file in which Linux has the name of the host. */
  private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

  /** Checks the values. */
  public ClusterOptions {
    Text.required(root, "root");
    if (!root.startsWith("/") || root.length() == 1) {
      throw new FabricException(
          Errno.EINVAL, "root \"" + root + "\": give a path that begins with /, such as /ofi4j");
    }
    for (String step : root.substring(1).split("/", -1)) {
      Text.step("root", step);
    }
    Text.step("host", host);
    if (Text.required(timeout, "timeout").isNegative() || timeout.isZero()) {
      throw new FabricException(Errno.EINVAL, "timeout " + timeout + ": give more than zero");
    }
  }

  /**
   * Returns the defaults, with the name that the system has. The name need not resolve to an
   * address.
   *
   * @return the options
   * @throws FabricException with {@link Errno#EADDRNOTAVAIL} if the system has no name; then use
   *     the constructor
   */
  public static ClusterOptions defaults() {
    return new ClusterOptions("/ofi4j", systemName(), Duration.ofSeconds(15));
  }

  /** Returns the name of the system, from the kernel if it has a file with the name. */
  private static String systemName() {
    // InetAddress also resolves the name. In containers it often has no address, and a name server
    // that does not answer costs seconds.
    if (Files.isReadable(KERNEL_NAME)) {
      try {
        String name = Files.readString(KERNEL_NAME).strip();
        if (!name.isEmpty()) {
          return name;
        }
      } catch (IOException _) {
        // Ask InetAddress.
      }
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      throw new FabricException(
          Errno.EADDRNOTAVAIL,
          "the name of this host is unknown: give one to the constructor of ClusterOptions, or to"
              + " the command with --host",
          nameless);
    }
  }

  /**
   * Sets the path below which groups are.
   *
   * @param root begins with {@code /}
   * @return the changed copy
   */
  public ClusterOptions withRoot(String root) {
    return new ClusterOptions(root, host, timeout);
  }

  /**
   * Sets the name of this host.
   *
   * @param host at most 255 bytes of visible characters without {@code /}
   * @return the changed copy
   */
  public ClusterOptions withHost(String host) {
    return new ClusterOptions(root, host, timeout);
  }

  /**
   * Sets how long calls wait.
   *
   * @param timeout more than zero
   * @return the changed copy
   */
  public ClusterOptions withTimeout(Duration timeout) {
    return new ClusterOptions(root, host, timeout);
  }
}
