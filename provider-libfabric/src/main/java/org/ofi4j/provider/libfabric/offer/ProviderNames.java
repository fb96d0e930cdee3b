// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.offer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which names hints may ask for, and what libfabric calls those providers. Most are the same; those
 * that the provider of pure Java has too, and any other of libfabric's, have {@code libfabric:}
 * before them.
 */
public final class ProviderNames {
  private static final String PREFIX = "libfabric:";

  /** The names that are known without asking libfabric, the fastest on one host first. */
  public static final List<String> ALL =
      List.of(
          "shm",
          "sm2",
          "efa",
          "cxi",
          "verbs;ofi_rxm",
          "verbs",
          "psm3",
          "psm2",
          "opx",
          "net",
          "tcp;ofi_rxm",
          "udp;ofi_rxd",
          "sockets",
          PREFIX + "tcp",
          PREFIX + "udp");

  private ProviderNames() {}

  /** Returns whether a name is one that hints ask for a provider of libfabric by. */
  public static boolean isOurs(String name) {
    return name.startsWith(PREFIX) || ALL.contains(name);
  }

  /** Returns the name that libfabric has for a provider; null for any. */
  public static @Nullable String toNative(@Nullable String name) {
    return name != null && name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
  }

  /** Returns the name by which hints ask for a provider of libfabric. */
  public static String fromNative(String nativeName) {
    return ALL.contains(nativeName) ? nativeName : PREFIX + nativeName;
  }
}
