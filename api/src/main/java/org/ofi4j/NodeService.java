// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * Node and service of {@code fi_getinfo}. Providers resolve them, and say in a {@link Refusal} what
 * is wrong with them. One of the two may be left out.
 *
 * @param node a host name, numeric address (IPv4 in any form of {@code inet_aton}), or whole
 *     address as text, which leaves no place for a service; null for any
 * @param service a port number or service name; null for any port
 */
public record NodeService(@Nullable String node, @Nullable String service) implements AddressHint {
  private static final String WHOLE = "://";

  /** Refuses, with {@link Errno#EINVAL}, that both are missing. */
  public NodeService {
    if (node == null && service == null) {
      throw new FabricException(
          Errno.EINVAL, "node and service are null: give one of them, or no address at all");
    }
  }

  /**
   * Takes text apart. Nothing is resolved.
   *
   * @param text node and service with a colon between them, as in {@code myhost:5000} or {@code
   *     127.0.0.1:0}, where port 0 is any; IPv6 in brackets, as in {@code [::1]:5000}; a service
   *     alone, as in {@code :5000}; or a whole address with its format, as in {@code
   *     fi_sockaddr_in://10.1.1.7:5000}
   * @return node and service
   * @throws FabricException with {@link Errno#EINVAL} if the text has neither format nor service,
   *     or colons that belong into brackets
   */
  public static NodeService parse(String text) {
    if (Arguments.required(text, "text").contains(WHOLE)) {
      return new NodeService(text, null);
    }
    int colon = text.lastIndexOf(':');
    String node = text.substring(0, Math.max(colon, 0));
    boolean brackets = node.startsWith("[") && node.endsWith("]");
    if (colon < 0 || colon == text.length() - 1 || text.endsWith("]")) {
      throw malformed(text, "has no port");
    }
    if (node.contains(":") && !brackets) {
      throw malformed(text, "has more than one colon, and no brackets");
    }
    String host = brackets ? node.substring(1, node.length() - 1) : node;
    return new NodeService(node.isEmpty() ? null : host, text.substring(colon + 1));
  }

  private static FabricException malformed(String text, String problem) {
    return new FabricException(
        Errno.EINVAL,
        "address \""
            + text
            + "\" "
            + problem
            + ": write 127.0.0.1:0, [::1]:0 or myhost:5000, with port 0 for any");
  }

  /** The text that {@link #parse} reads, if there is a service or a whole address. */
  @Override
  public String toString() {
    String shown =
        node == null ? "" : node.contains(":") && !node.contains(WHOLE) ? "[" + node + "]" : node;
    return service == null ? shown : shown + ":" + service;
  }
}
