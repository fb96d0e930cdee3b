// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.math.BigInteger;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;

/**
 * Hosts whose names count up in their last digits, the width of which is kept: node009, node010
 * (AV-119). A single host needs no digits.
 */
final class HostRange implements NodeRange {
  private final String prefix;
  private final String digits;
  private final int count;
  private final NameResolution resolution;
  private HostAddress[] addresses = {};

  /**
   * Hosts to be resolved.
   *
   * @param first name of the first host
   * @throws FabricException with {@link Errno#EINVAL} if the name does not end in digits and there
   *     is more than one host
   */
  HostRange(String first, int count, NameResolution resolution) {
    this.digits = first.replaceFirst("(?s).*[^0-9]", "");
    this.prefix = first.substring(0, first.length() - digits.length());
    if (digits.isEmpty() && count > 1) {
      throw new FabricException(
          Errno.EINVAL,
          "node \"%s\" does not end in digits, so %s nodes cannot be counted from it"
              .formatted(first, count));
    }
    this.count = count;
    this.resolution = resolution;
  }

  @Override
  public void prepare() throws InterruptedException {
    addresses = resolution.resolve(count, this::text);
  }

  @Override
  public String text(int node) {
    if (node == 0) {
      return prefix + digits;
    }
    String number = new BigInteger(digits).add(BigInteger.valueOf(node)).toString();
    return prefix + "0".repeat(Math.max(0, digits.length() - number.length())) + number;
  }

  @Override
  public @Nullable FabricAddress at(int node, int port) {
    return addresses[node] instanceof HostAddress.Found found
        ? FabricAddress.of(new InetSocketAddress(found.address(), port))
        : null;
  }

  @Override
  public Failure failure(int node) {
    return (Failure) addresses[node];
  }
}
