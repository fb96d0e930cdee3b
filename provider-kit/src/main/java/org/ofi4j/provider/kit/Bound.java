// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;

import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.FabricObject;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.object.CoreObject;

/** Objects of applications that endpoints use, which stay open until the endpoint is closed. */
final class Bound {
  private Bound() {}

  /** Returns the entries of a vector that an endpoint uses. */
  static Peers vector(CoreObject user, AddressVector vector, Domain domain) {
    return new Peers(use(user, CoreAddressVector.class, vector, vector.domain(), domain));
  }

  /**
   * Returns an object that an endpoint uses, as the class of this provider.
   *
   * @param of the domain or fabric of the object
   * @param own that of the endpoint, which must be the same
   */
  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  static <O extends CoreObject> O use(
      CoreObject user, Class<O> kind, FabricObject bound, FabricObject of, FabricObject own) {
    if (of != own) {
      throw invalid(bound + " is of " + of + ", but " + user + " of " + own);
    }
    if (!kind.isInstance(bound)) {
      throw invalid(bound + " is not of this provider");
    }
    O used = kind.cast(bound);
    user.lifetime().hold(used.lifetime());
    return used;
  }
}
