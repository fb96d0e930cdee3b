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
 */
public final class ClusterOptions {
  /** The file in which Linux has the name of the host. */
  private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

  private final String root;
  private final String host;
  private final Duration timeout;

  private ClusterOptions(String root, String host, Duration timeout) {
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
    this.root = root;
    this.host = host;
    this.timeout = timeout;
  }

  /**
   * Returns the defaults, with the name that the system has. The name need not resolve to an
   * address.
   *
   * @return the options
   * @throws FabricException with {@link Errno#EADDRNOTAVAIL} if the system has no name; then use
   *     {@link #of}
   */
  public static ClusterOptions defaults() {
    return of(systemName());
  }

  /**
   * Returns the defaults for a host.
   *
   * @param host its name, as {@link #withHost} takes it
   * @return the options
   * @throws FabricException with {@link Errno#EINVAL} for a name that is not allowed
   */
  public static ClusterOptions of(String host) {
    return new ClusterOptions("/ofi4j", host, Duration.ofSeconds(15));
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
          "the name of this host is unknown: give one with ClusterOptions.of, or to the command"
              + " with --host",
          nameless);
    }
  }

  /** {@return the path below which groups are} */
  public String root() {
    return root;
  }

  /**
   * Sets the path below which groups are, {@code /ofi4j} by default.
   *
   * @param root begins with {@code /}
   * @return the changed copy
   * @throws FabricException with {@link Errno#EINVAL} for a path that is not allowed
   */
  public ClusterOptions withRoot(String root) {
    return new ClusterOptions(root, host, timeout);
  }

  /** {@return the name of this host} */
  public String host() {
    return host;
  }

  /**
   * Sets the name of this host, the same in all its processes and in no other host's.
   *
   * @param host at most 255 bytes of visible characters without {@code /}
   * @return the changed copy
   * @throws FabricException with {@link Errno#EINVAL} for a name that is not allowed
   */
  public ClusterOptions withHost(String host) {
    return new ClusterOptions(root, host, timeout);
  }

  /** {@return how long calls wait for ZooKeeper that have no timeout of their own} */
  public Duration timeout() {
    return timeout;
  }

  /**
   * Sets how long calls wait for ZooKeeper that have no timeout of their own, 15 s by default. The
   * timeouts and the retry policy of the client bound the time that Curator takes within a call.
   *
   * @param timeout more than zero
   * @return the changed copy
   * @throws FabricException with {@link Errno#EINVAL} for no time
   */
  public ClusterOptions withTimeout(Duration timeout) {
    return new ClusterOptions(root, host, timeout);
  }

  /** All values. */
  @Override
  public String toString() {
    return "ClusterOptions[root=%s, host=%s, timeout=%s]".formatted(root, host, timeout);
  }
}
