// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints over TCP as a domain opens them: reliable ones, connected ones, passive and scalable
 * ones. They check what an application asks for, and put the rooms below together.
 *
 * <p>Other rooms may use the endpoints. Uses {@code connection}, {@code rma}, {@code matching},
 * {@code transfer}, {@code security}, {@code wire}, {@code endpoint} and {@code progress}. Read
 * {@link org.ofi4j.provider.net.tcp.RdmEndpoint} first, then {@link
 * org.ofi4j.provider.net.tcp.MessageTraffic} and {@link org.ofi4j.provider.net.tcp.FrameArrivals}.
 */
package org.ofi4j.provider.net.tcp;
