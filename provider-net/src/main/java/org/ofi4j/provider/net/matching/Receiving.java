// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.Sources;

/**
 * The messages that come to an endpoint: the receives that take them, and how those end.
 *
 * @param outcomes how receives end, by receive context
 * @param sharing the same, if receives are shared with other endpoints and a message has to say
 *     where it came to; else null
 */
public record Receiving(
    Matching matching, ReceiveOutcomes[] outcomes, @Nullable ReceiveOutcomes sharing) {

  /**
   * An endpoint's own receives, without any yet.
   *
   * @param peers finds senders, or null where that is not asked
   */
  public static Receiving own(Completions completions, @Nullable Peers peers, FabricInfo info) {
    ReceiveOutcomes outcomes = outcomes(completions, peers, info);
    Receiving made = of(peers, info, outcomes);
    made.matching.context(0).endIn(outcomes);
    return made;
  }

  /** Those of a scalable endpoint: as many contexts as it has, of which none is open yet. */
  public static Receiving scalable(Peers peers, FabricInfo info, int contexts) {
    ReceiveOutcomes[] outcomes = new ReceiveOutcomes[contexts];
    for (int i = 0; i < contexts; i++) {
      outcomes[i] = outcomes(new Completions(), peers, info);
    }
    return of(peers, info, outcomes);
  }

  /** Returns how receives end that report to a queue. */
  public static ReceiveOutcomes outcomes(
      Completions completions, @Nullable Peers peers, FabricInfo info) {
    return new ReceiveOutcomes(completions, peers, peers == null ? Sources.NONE : Sources.of(info));
  }

  private static Receiving of(@Nullable Peers peers, FabricInfo info, ReceiveOutcomes... outcomes) {
    UnexpectedRoom room = new UnexpectedRoom(UnexpectedRoom.in(() -> peers));
    ReceiveContext[] contexts = new ReceiveContext[outcomes.length];
    for (int i = 0; i < contexts.length; i++) {
      contexts[i] =
          new ReceiveContext(
              i,
              info.receive().size(),
              peers == null ? handle -> Receive.UNDIRECTED : peers::generation);
    }
    return new Receiving(
        new Matching(room, DirectedReceives.of(info).any(), contexts), outcomes, null);
  }
}
