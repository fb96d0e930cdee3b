// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * A number of the application that completions report for an entry or an authorization key instead
 * of its handle, fi_av_set_user_id(3). {@link AddressVector#setUserId} and {@link
 * AddressVector#setAuthKeyUserId} take an object, so a handle and an id cannot be exchanged.
 *
 * @param value any number; {@link Completion.Success#source} returns it
 */
public record UserId(long value) {}
