// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import org.jspecify.annotations.Nullable;

/**
 * What an insertion told its caller in the end, whichever form it had.
 *
 * @param returned the value that the C call would return
 * @param handles the handle of each address, or null if the form was not asked for them
 * @param errors the errno of each address, or null if the form was not asked for them
 */
record Answer(int returned, long @Nullable [] handles, int @Nullable [] errors) {}
