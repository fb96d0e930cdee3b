// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Capability;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TaggedReceiveRequest;

/** Which receive gets a message that was put aside, or that one peer has sent. */
class MatchingTest {
  @TestFactory
  List<DynamicTest> matching() throws Exception {
    CCompiler.needProvider("tcp;ofi_rxm");
    return Scenarios.of(MatchingProgram.class, List.of(ChildJvm.NATIVE), "tcp;ofi_rxm");
  }

  @ParameterizedTest
  @CsvSource({
    "shm, DIRECTED_RECEIVE, one sender for another",
    "udp;ofi_rxd, DIRECTED_RECEIVE, one sender for another",
    "net, DIRECTED_RECEIVE, the messages of others",
    "net, TAGGED_DIRECTED_RECEIVE, the messages of others",
    "net, EXACT_DIRECTED_RECEIVE, the messages of others",
    "tcp;ofi_rxm, DIRECTED_RECEIVE, loses connections",
  })
  void directedReceivesThatFabricsConfoundAreRefused(
      String provider, Capability capability, String words) {
    CCompiler.needProvider(provider);
    Hints hints = Rig.hints(provider).withMoreCapabilities(capability);
    InfoAnswer answer = new LibfabricProvider().info(hints);
    assertThat(answer.offers()).isEmpty();
    assertThat(answer.refusals()).anyMatch(each -> each.reason().contains(words));
  }

  @ParameterizedTest
  @CsvSource({
    "shm, PEEK, loses the message",
    "shm, PEEK_AND_CLAIM, loses the message",
    "net, PEEK_AND_CLAIM, another receive",
    "net, CLAIM, another receive",
    "udp;ofi_rxd, PEEK_AND_CLAIM, crashes",
  })
  void searchesThatFabricsGetWrongAreRefused(String provider, ReceiveMode mode, String words) {
    CCompiler.needProvider(provider);
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint endpoint = rig.endpoint();
      TaggedReceiveRequest request =
          new TaggedReceiveRequest().memory(Rig.memory(8)).mode(mode).context("search");
      assertThatThrownBy(() -> endpoint.tryReceiveTagged(request)).hasMessageContaining(words);
      assertThat(endpoint.statistics().outstandingReceives()).isZero();
    }
  }
}
