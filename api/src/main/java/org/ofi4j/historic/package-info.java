// SPDX-License-Identifier: Apache-2.0
/**
 * What only former editions of the man pages have, or what they discourage, out of the way of
 * everybody else.
 *
 * <p>This room uses the types of {@code org.ofi4j}.
 */
package org.ofi4j.historic;
