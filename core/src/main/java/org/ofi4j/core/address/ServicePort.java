// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import java.util.function.Supplier;
import org.ofi4j.Errno;

/**
 * What a service text comes to: a port, or an errno with the reason. Symmetric ranges count on from
 * it, so port 0 may be where one begins; as a port of its own it is refused like any port zero.
 *
 * @param port 0 to 65535, meaningless with an errno
 * @param errno {@link Errno#SUCCESS}, or why there is no port
 * @param reason why, in words; empty if there is one
 */
public record ServicePort(int port, Errno errno, String reason) {
  public static final int MAX = 65_535;

  /**
   * Reads a port number, or looks up the name of a service among those that this machine knows.
   *
   * @param service decimal digits, or a name
   * @param datagrams whether the port for datagrams is meant
   */
  public static ServicePort of(String service, boolean datagrams) {
    return of(service, ServiceNames::ofSystem, datagrams);
  }

  /**
   * Reads a port number, or looks up the name of a service (AV-111).
   *
   * @param service decimal digits, or a name
   * @param names the names that are known, asked for none if the service is a number
   * @param datagrams whether the port for datagrams is meant
   */
  static ServicePort of(String service, Supplier<ServiceNames> names, boolean datagrams) {
    int number = number(service);
    if (number > MAX) {
      return failed(Errno.EINVAL, "port " + service + " is above " + MAX);
    }
    if (number >= 0) {
      return new ServicePort(number, Errno.SUCCESS, "");
    }
    if (service.chars().noneMatch(Character::isLetter)) {
      return failed(
          Errno.EINVAL,
          "service \"" + service + "\" is neither a decimal port number nor the name of a service");
    }
    int port = names.get().port(service, datagrams);
    return port < 0
        ? failed(
            Errno.ENODATA, "service \"" + service + "\" is not known on this host: give its port")
        : new ServicePort(port, Errno.SUCCESS, "");
  }

  private static ServicePort failed(Errno errno, String reason) {
    return new ServicePort(0, errno, reason);
  }

  public boolean isKnown() {
    return errno == Errno.SUCCESS;
  }

  /** A decimal number of digits alone: -1 if it is none, more than {@link #MAX} if too large. */
  public static int number(String text) {
    if (text.isEmpty()) {
      return -1;
    }
    int number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = Math.min(number * 10 + digit, MAX + 1);
    }
    return number;
  }
}
