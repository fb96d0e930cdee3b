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
    int end = first.length();
    int start = end;
    while (start > 0 && first.charAt(start - 1) >= '0' && first.charAt(start - 1) <= '9') {
      start--;
    }
    if (start == end && count > 1) {
      throw new FabricException(
          Errno.EINVAL,
          "node \"%s\" does not end in digits, so %s nodes cannot be counted from it"
              .formatted(first, count));
    }
    this.prefix = first.substring(0, start);
    this.digits = first.substring(start);
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
  public Errno errno(int node) {
    return Errno.ENODATA;
  }

  @Override
  public String reason(int node) {
    return addresses[node] instanceof HostAddress.Missing missing ? missing.reason() : "";
  }
}
