// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import org.ofi4j.AddressFormat;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.VectorType;

/**
 * What one random run is about, besides the profile of its domain.
 *
 * @param policy what duplicates do; by version too
 * @param asynchronous whether insertions report to an event queue
 * @param userIds whether the vector is opened for user ids
 * @param receiveContextBits high bits of handles kept free
 */
public record Scenario(
    AddressFormat format,
    VectorType type,
    DuplicatePolicy policy,
    boolean asynchronous,
    boolean userIds,
    int receiveContextBits) {}
