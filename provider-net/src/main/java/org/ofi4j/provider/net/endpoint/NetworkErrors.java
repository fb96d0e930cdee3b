// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.io.EOFException;
import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The errno behind an exception of the JDK's, which keeps it as text alone, in the words of the
 * operating system.
 */
public final class NetworkErrors {
  private static final Map<String, Errno> BY_WORDS =
      Map.ofEntries(
          Map.entry("address already in use", Errno.EADDRINUSE),
          Map.entry("cannot assign requested address", Errno.EADDRNOTAVAIL),
          Map.entry("can't assign requested address", Errno.EADDRNOTAVAIL),
          Map.entry("permission denied", Errno.EACCES),
          Map.entry("operation not permitted", Errno.EACCES),
          Map.entry("message too long", Errno.EMSGSIZE),
          Map.entry("network is unreachable", Errno.EHOSTUNREACH),
          Map.entry("no route to host", Errno.EHOSTUNREACH),
          Map.entry("invalid argument", Errno.EINVAL),
          Map.entry("bad address", Errno.EFAULT),
          Map.entry("no buffer space available", Errno.ENOMEM),
          Map.entry("connection refused", Errno.ECONNREFUSED),
          Map.entry("connection reset", Errno.ECONNRESET),
          Map.entry("broken pipe", Errno.ECONNRESET),
          Map.entry("connection timed out", Errno.ETIMEDOUT),
          Map.entry("too many open files", Errno.EMFILE));

  private NetworkErrors() {}

  public static Errno of(Throwable failed) {
    return switch (failed) {
      case FabricException fabric -> fabric.errno();
      case PortUnreachableException _ -> Errno.ECONNREFUSED;
      case EOFException _ -> Errno.ECONNRESET;
      case NoRouteToHostException _ -> Errno.EHOSTUNREACH;
      // One side does not trust the other, or one of them has no TLS.
      case SSLException _ -> Errno.EACCES;
      // What the JDK throws for memory that the system does not let it access: a mapped file that
      // has become shorter.
      case InternalError _ -> Errno.EFAULT;
      case IOException other -> byWords(other);
      // An argument that the channel or the memory refuses: freed, confined to another thread.
      default -> Errno.EINVAL;
    };
  }

  private static Errno byWords(IOException failed) {
    String words = String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT);
    return BY_WORDS.entrySet().stream()
        .filter(each -> words.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(Errno.EIO);
  }
}
