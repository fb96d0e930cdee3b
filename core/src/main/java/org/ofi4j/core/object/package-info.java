// SPDX-License-Identifier: Apache-2.0
/** Open, close and busy accounting of fabric objects, in one place. */
package org.ofi4j.core.object;
