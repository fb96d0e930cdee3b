// SPDX-License-Identifier: Apache-2.0
/**
 * The provider kit: everything of a provider that does not depend on how its data moves. A provider
 * outside this project requires this package and the interface of ofi4j, and no other module.
 *
 * <p>A provider is a {@link org.ofi4j.spi.FabricProvider}. It answers hints by {@link
 * org.ofi4j.provider.kit.HintCheck}, and opens a {@link org.ofi4j.provider.kit.KitFabric} over a
 * {@link org.ofi4j.provider.kit.FabricTransport} of its own. Applications call the objects of the
 * kit, which check arguments, bind queues, counters and vectors, and close. For the data they call
 * the interfaces that the provider implements:
 *
 * <ul>
 *   <li>{@link org.ofi4j.provider.kit.FabricTransport} opens domains and passive endpoints,
 *   <li>{@link org.ofi4j.provider.kit.DomainTransport} opens endpoints, and the progress of queues,
 *   <li>{@link org.ofi4j.provider.kit.Transport} is an open endpoint, with a {@link
 *       org.ofi4j.provider.kit.Transmitter} and a {@link org.ofi4j.provider.kit.Receiver}; {@link
 *       org.ofi4j.provider.kit.ConnectedTransport}, {@link org.ofi4j.provider.kit.PassiveTransport}
 *       and {@link org.ofi4j.provider.kit.ScalableTransport} are those of other types.
 * </ul>
 *
 * <p>A transmitter or receiver gets its requests as an {@link org.ofi4j.provider.kit.Operation}
 * from its {@link org.ofi4j.provider.kit.OperationPool}, finds peers by {@link
 * org.ofi4j.provider.kit.Peers}, and reports the end to {@link org.ofi4j.provider.kit.Completions}.
 * {@link org.ofi4j.provider.kit.Regions} has the memory that peers may reach, and {@link
 * org.ofi4j.provider.kit.PolledProgress} the progress of transports that are polled.
 *
 * <p>The page "Writing a provider" in the documentation of the project explains the package by an
 * example.
 */
package org.ofi4j.provider.kit;
