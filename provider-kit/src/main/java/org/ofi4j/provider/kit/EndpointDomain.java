// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.Domain;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;

/**
 * The domain of an endpoint, as the endpoints of the kit use it: the object of the application and
 * the transport behind it.
 *
 * @param domain the domain that the kit has opened
 * @param transport the domain as its provider implements it
 * @param regions the memory of the domain that peers reach
 */
record EndpointDomain(Domain domain, DomainTransport transport, Regions regions) {
  Lifetime lifetime() {
    return ((CoreObject) domain).lifetime();
  }

  FabricInfo info() {
    return domain.info();
  }

  /** Returns whether authorization keys are in the vectors ({@code FI_AV_AUTH_KEY}). */
  boolean hasKeysInVectors() {
    return info().domain().authKeySize() == FabricInfo.DomainAttributes.KEYS_IN_VECTOR;
  }

  @Override
  public String toString() {
    return domain.toString();
  }
}
