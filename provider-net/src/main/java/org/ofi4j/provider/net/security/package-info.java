// SPDX-License-Identifier: Apache-2.0
/**
 * TLS over a channel, and proofs that both ends of a connection hold the same authorization key.
 *
 * <p>Other rooms use the secure channel and the dialogue of proofs. This room uses {@code wire},
 * and the buffers of {@code endpoint}. Read {@link org.ofi4j.provider.net.security.SecureChannel}
 * first, then {@link org.ofi4j.provider.net.security.KeyDialogue}.
 */
package org.ofi4j.provider.net.security;
