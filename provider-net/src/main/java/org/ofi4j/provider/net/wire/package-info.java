// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of libfabric's tcp protocol: frames, connection messages, and the extension block that
 * two ofi4j endpoints agree on. docs/internals/wire.md draws them. The limits of endpoints over TCP
 * are here too.
 *
 * <p>Other rooms use most of its classes. This room uses no other room. Read {@link
 * org.ofi4j.provider.net.wire.FrameHeader} first, then {@link
 * org.ofi4j.provider.net.wire.ConnectionMessage}.
 */
package org.ofi4j.provider.net.wire;
