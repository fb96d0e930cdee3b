// SPDX-License-Identifier: Apache-2.0
/**
 * Fabrics, domains, address vectors, queues, counters, memory regions and endpoints, after
 * libfabric's fi_getinfo(3), fi_fabric(3), fi_domain(3), fi_av(3), fi_av_set(3), fi_eq(3),
 * fi_cq(3), fi_cntr(3), fi_mr(3), fi_endpoint(3), fi_cm(3), fi_msg(3), fi_tagged(3), fi_rma(3) and
 * fi_errno(3).
 *
 * <p>Start at {@link org.ofi4j.Fabrics#udp} or {@link org.ofi4j.Fabrics#tcp} for a first message.
 * The long way is {@link org.ofi4j.Fabrics#open(org.ofi4j.Hints)}, then a domain, an address vector
 * and a completion queue, then an endpoint that is opened with both; closing goes the other way
 * round. Each type names the C call, structure or constant that it stands for in the first words of
 * its documentation.
 *
 * <p>Lengths and offsets are bytes. Handles, keys, tags, immediate data and flags are 64 bits in a
 * {@code long}, unsigned as in C. What fails throws {@link org.ofi4j.FabricException}, which is
 * unchecked; the errnos that a call is known for are in its documentation.
 */
package org.ofi4j;
