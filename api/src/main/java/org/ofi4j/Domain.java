package org.ofi4j;

/**
 * {@code struct fid_domain}, fi_domain(3): one interface of a network, and what is opened on it.
 * Safe to call from any thread.
 */
public interface Domain extends FabricObject {
  /**
   * The fabric that the domain belongs to.
   *
   * @return the fabric
   */
  Fabric fabric();

  /**
   * What the domain was opened with.
   *
   * @return the information
   */
  FabricInfo info();

  /**
   * {@code fi_av_open}.
   *
   * @param attributes how the vector is to behave
   * @return a new address vector
   * @throws FabricException with {@link Errno#EINVAL} for attributes that are wrong or do not fit
   *     the domain, {@link Errno#ENOSYS} for a name where the domain shares no vectors
   */
  AddressVector openAddressVector(AvAttributes attributes);

  /**
   * {@code fi_cq_open} with defaults.
   *
   * @return a new completion queue
   */
  default CompletionQueue openCompletionQueue() {
    return openCompletionQueue(CompletionQueueAttributes.defaults());
  }

  /**
   * {@code fi_cq_open}.
   *
   * @param attributes size, format and context
   * @return a new completion queue
   */
  CompletionQueue openCompletionQueue(CompletionQueueAttributes attributes);

  /**
   * {@code fi_endpoint} with the information that the domain was opened with.
   *
   * @return a new endpoint, not yet enabled
   */
  default Endpoint openEndpoint() {
    return openEndpoint(info());
  }

  /**
   * {@code fi_endpoint}.
   *
   * @param info an answer of {@link Fabrics#info} for this domain; its source address is where the
   *     endpoint will be
   * @return a new endpoint, not yet enabled
   * @throws FabricException with {@link Errno#EINVAL} if the information is of another domain or
   *     provider
   */
  Endpoint openEndpoint(FabricInfo info);
}
