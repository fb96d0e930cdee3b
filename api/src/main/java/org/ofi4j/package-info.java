/**
 * Fabrics, domains, address vectors, queues and endpoints, after libfabric's fi_fabric(3),
 * fi_domain(3), fi_av(3), fi_eq(3), fi_cq(3), fi_mr(3) and fi_endpoint(3).
 *
 * <p>Start at {@link org.ofi4j.Fabrics#info}. Each type names the C call, structure or constant
 * that it stands for in the first words of its documentation.
 */
package org.ofi4j;
