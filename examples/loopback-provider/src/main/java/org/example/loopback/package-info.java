// SPDX-License-Identifier: Apache-2.0
/**
 * A provider within one JVM: endpoints send each other {@link org.example.loopback.Parcel}s.
 *
 * <p>{@link org.example.loopback.LoopbackProvider} answers hints, {@link
 * org.example.loopback.LoopbackDomain} opens endpoints, and {@link
 * org.example.loopback.LoopbackNetwork} knows their addresses. A {@link
 * org.example.loopback.LoopbackEndpoint} takes parcels from its inbox, which its {@link
 * org.example.loopback.LoopbackTransmitter} and {@link org.example.loopback.LoopbackReceiver} have
 * sent or wait for.
 */
package org.example.loopback;
