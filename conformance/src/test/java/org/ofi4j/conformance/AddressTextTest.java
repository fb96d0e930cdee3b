// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.TryAgainException;
import org.ofi4j.spi.FabricProvider;

/** The text of the address of an endpoint leads to the endpoint, over all that is offered here. */
class AddressTextTest {
  private static final Duration WHILE = Duration.ofMillis(10);

  static Stream<Arguments> offers() {
    Map<List<Object>, FabricInfo> offers = new LinkedHashMap<>();
    for (FabricProvider provider : Fabrics.providers()) {
      for (String name : provider.names()) {
        for (AddressFormat format : List.of(AddressFormat.UNSPECIFIED, AddressFormat.STR)) {
          Hints hints = Hints.latest().withProvider(name).withAddressFormat(format);
          for (FabricInfo offer : Fabrics.info(hints).offers()) {
            offers.putIfAbsent(
                Arrays.asList(
                    offer.fabric().provider(),
                    offer.endpoint().type(),
                    offer.addressFormat(),
                    offer.source()),
                offer);
          }
        }
      }
    }
    return offers.entrySet().stream()
        .map(offer -> Arguments.argumentSet(offer.getKey().toString(), offer.getValue()));
  }

  @ParameterizedTest
  @MethodSource("offers")
  void textOfAnAddressLeadsToTheEndpoint(FabricInfo offer) throws Exception {
    try (Fabric fabric = Fabrics.open(offer);
        Domain domain = fabric.openDomain()) {
      if (offer.endpoint().type() == EndpointType.MSG) {
        try (EventQueue events = fabric.openEventQueue();
            PassiveEndpoint endpoint =
                fabric.openPassiveEndpoint(offer, PassiveOptions.of(events))) {
          parsed(endpoint.address());
        }
        return;
      }
      try (Arena arena = Arena.ofShared();
          AddressVector vector = domain.openAddressVector();
          CompletionQueue queue = domain.openCompletionQueue();
          MessageEndpoint endpoint = domain.openEndpoint(EndpointOptions.of(vector, queue))) {
        FabricAddress peer = parsed(endpoint.address());
        exchange(arena.allocate(8), endpoint, queue, vector.insert(peer));
      }
    }
  }

  /** Returns the address that the text of an address spells. */
  private static FabricAddress parsed(FabricAddress address) {
    FabricAddress parsed = FabricAddress.parse(address.toString());
    assertThat(parsed).hasToString(address.toString());
    assertThat(parsed).isEqualTo(address);
    return parsed;
  }

  /** Sends a message to an endpoint itself. */
  private static void exchange(
      MemorySegment memory, MessageEndpoint endpoint, CompletionQueue queue, long self)
      throws InterruptedException {
    endpoint.receive(memory.asSlice(0, 4), "receive");
    boolean isSent = false;
    for (int completed = 0; completed < 2; ) {
      if (!isSent) {
        isSent = sends(memory.asSlice(4), endpoint, self);
      }
      Completion completion = queue.read(WHILE);
      if (completion != null) {
        assertThat(completion).isInstanceOf(Completion.Success.class);
        completed++;
      }
    }
  }

  private static boolean sends(MemorySegment message, MessageEndpoint endpoint, long self) {
    try {
      endpoint.send(message, self, "send");
      return true;
    } catch (TryAgainException connecting) {
      return false;
    }
  }
}
