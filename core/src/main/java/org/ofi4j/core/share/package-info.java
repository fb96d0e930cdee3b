// SPDX-License-Identifier: Apache-2.0
/**
 * Named vectors: the files that the processes of a user share, who is attached, who may write. What
 * is in the entries' memory is no matter of this package.
 */
package org.ofi4j.core.share;
