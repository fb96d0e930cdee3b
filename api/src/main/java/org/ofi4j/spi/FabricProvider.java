// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.spi;

import java.util.List;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;

/**
 * Offers fabrics. Implementations have a public constructor without arguments and are registered
 * with {@link java.util.ServiceLoader}, both in their module descriptor and in {@code
 * META-INF/services}. Calls may come from any thread.
 */
public interface FabricProvider {
  /**
   * {@return the names that {@link Hints#provider} may ask for, at least one, such as {@code udp}}
   */
  List<String> names();

  /**
   * Returns where the offers of this provider stand among those of others: {@link
   * org.ofi4j.Fabrics#info(Hints)} lists those of a smaller rank first. The rank never depends on
   * the hints or on the JVM, so that all processes of an application prefer the same offers.
   *
   * @return the rank; 0 for providers that work in every JVM, more for providers that need a native
   *     library, or a flag of the JVM
   */
  default int rank() {
    return 0;
  }

  /**
   * Meets hints as far as it can. Never throws for hints that cannot be met: says so in the
   * refusals, one for each of its names that was asked.
   *
   * @param hints what is needed
   * @return offers, best first, and refusals
   */
  InfoAnswer info(Hints hints);

  /**
   * Opens a fabric.
   *
   * @param info one of its own offers
   * @return the fabric
   * @throws FabricException if the fabric cannot be opened
   */
  Fabric open(FabricInfo info);

  /**
   * Returns the domains of this provider in which the user of this process has named address
   * vectors on this host, whether or not {@link #info} offers them now.
   *
   * @return the domains, in order of their names; none by default
   * @throws FabricException if the files of named vectors cannot be listed
   */
  default List<VectorDomain> vectorDomains() {
    return List.of();
  }
}
