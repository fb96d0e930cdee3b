// SPDX-License-Identifier: Apache-2.0
/**
 * What fi_getinfo(3) has in common for all providers: which hints an API version knows.
 *
 * <p>Other modules use {@link org.ofi4j.core.info.VersionCheck}. This room uses no other.
 */
package org.ofi4j.core.info;
