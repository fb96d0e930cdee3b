// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import org.ofi4j.AddressVector;

/** An asynchronous vector with the queue that it reports to. */
public record AsyncVector(AddressVector vector, EventReader events) {}
