// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.RemotePlace;

/**
 * Memory that a fabric has registered, as its provider implements it. {@code KitRegion} is the
 * region that the application calls; errors name it by the {@code toString} of this object.
 */
public interface RegionTransport {
  /**
   * Returns the key by which peers name the region ({@code fi_mr_key}). Like the place, it stays
   * the same when the region is closed.
   *
   * @return the key
   */
  long key();

  /**
   * Returns the place of the whole region, as peers name it in a read or write.
   *
   * @return the place
   */
  RemotePlace place();

  /** Ends the registration: peers reach the memory no more when this returns. Called once. */
  void close();
}
