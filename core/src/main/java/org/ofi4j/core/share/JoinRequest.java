// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.util.function.Consumer;

/**
 * Which vector is to be joined.
 *
 * @param traits what it must be like
 * @param readOnly whether it must be there, and somebody attached to it
 * @param founder makes the first entries, in a file that nobody else sees yet
 */
record JoinRequest(
    String domain,
    String name,
    VectorTraits traits,
    boolean readOnly,
    Consumer<VectorFile> founder) {}
