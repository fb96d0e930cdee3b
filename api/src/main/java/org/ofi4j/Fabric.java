// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/** {@code struct fid_fabric}, fi_fabric(3): one network. Safe to call from any thread. */
public interface Fabric extends FabricObject {
  /** {@return what the fabric was opened with} */
  FabricInfo info();

  /**
   * {@code fi_domain} with the information that the fabric was opened with.
   *
   * @return a new domain
   */
  default Domain openDomain() {
    return openDomain(info());
  }

  /**
   * {@code fi_domain} without a context.
   *
   * @param info an answer of {@link Fabrics#info} for this fabric
   * @return a new domain
   */
  default Domain openDomain(FabricInfo info) {
    return openDomain(info, null);
  }

  /**
   * {@code fi_domain}: opens access to one interface of the network.
   *
   * @param info an answer of {@link Fabrics#info} for this fabric
   * @param context what {@link FabricObject#context} says
   * @return a new domain
   * @throws FabricException with {@link Errno#EINVAL} if the information is of another fabric or
   *     provider
   */
  Domain openDomain(FabricInfo info, @Nullable Object context);

  /**
   * {@code fi_eq_open} with defaults.
   *
   * @return a new event queue
   */
  default EventQueue openEventQueue() {
    return openEventQueue(EventQueueOptions.defaults());
  }

  /**
   * {@code fi_eq_open}.
   *
   * @param options size and context
   * @return a new event queue
   */
  EventQueue openEventQueue(EventQueueOptions options);

  /**
   * {@code fi_passive_ep}, {@code fi_pep_bind} and {@code fi_listen}: an endpoint that waits for
   * peers to connect.
   *
   * @param info an answer of {@link Fabrics#info} for this fabric, with endpoints of type {@link
   *     EndpointType#MSG}; its source address is where the endpoint listens, unless options say it
   * @param options what it works with
   * @return a passive endpoint that listens
   * @throws FabricException with {@link Errno#EINVAL} if the information or the event queue is of
   *     another fabric or provider, {@link Errno#ENOSYS} if its endpoints do not connect, {@link
   *     Errno#ENOEQ} without event queue, or the errno of the network when its address cannot be
   *     used
   */
  PassiveEndpoint openPassiveEndpoint(FabricInfo info, PassiveOptions options);

  /**
   * The same with the information that the fabric was opened with.
   *
   * @param options what it works with
   * @return a passive endpoint that listens
   */
  default PassiveEndpoint openPassiveEndpoint(PassiveOptions options) {
    return openPassiveEndpoint(info(), options);
  }
}
