// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

/**
 * Capacities and limits of an endpoint.
 *
 * @param transmits how many operations towards peers may be under way
 * @param receives how many receives may be posted
 * @param inject the longest message that is injected, in bytes
 * @param maxMessage the longest message, in bytes
 * @param minMultiReceive how many bytes must be left of a buffer for several messages; 0 for the
 *     default
 * @param patience how long an operation may wait to be posted, in nanoseconds
 */
record EndpointSizes(
    long transmits,
    long receives,
    long inject,
    long maxMessage,
    long minMultiReceive,
    long patience) {}
