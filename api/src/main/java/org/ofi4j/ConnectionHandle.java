// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code fi_info.handle} of a connection request: what an endpoint opened with the information
 * accepts, or {@link PassiveEndpoint#reject} refuses. It is answered once, and gone when its peer
 * goes or its passive endpoint is closed before it was answered.
 *
 * <p>Providers implement it; compared by identity.
 */
public interface ConnectionHandle {}
