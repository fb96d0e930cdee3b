package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.Sources;

/**
 * What becomes of messages that come to an endpoint: which receives they go to, and how those end.
 *
 * @param matching brings messages and receives together
 * @param outcomes how receives end, by receive context
 * @param sharing the same, if receives are shared with other endpoints and a message has to say
 *     where it came to; else null
 */
record Receiving(Matching matching, ReceiveOutcomes[] outcomes, @Nullable ReceiveOutcomes sharing) {

  /**
   * An endpoint's own receives, without any yet.
   *
   * @param vector tells who sends, or null where that is not asked
   */
  static Receiving own(Binding binding, @Nullable CoreAddressVector vector, FabricInfo info) {
    Sources sources = vector == null ? Sources.NONE : Sources.of(info);
    ReceiveOutcomes outcomes = new ReceiveOutcomes(binding, vector, sources);
    Receiving made = of(vector, info, outcomes);
    made.matching.context(0).endIn(outcomes);
    return made;
  }

  /** Those of a scalable endpoint: as many contexts as it has, of which none is open yet. */
  static Receiving scalable(CoreAddressVector vector, FabricInfo info, int contexts) {
    ReceiveOutcomes[] outcomes = new ReceiveOutcomes[contexts];
    for (int i = 0; i < contexts; i++) {
      outcomes[i] = new ReceiveOutcomes(null, vector, Sources.of(info));
    }
    return of(vector, info, outcomes);
  }

  private static Receiving of(
      @Nullable CoreAddressVector vector, FabricInfo info, ReceiveOutcomes... outcomes) {
    UnexpectedRoom room = new UnexpectedRoom();
    ReceiveContext[] contexts = new ReceiveContext[outcomes.length];
    for (int i = 0; i < contexts.length; i++) {
      contexts[i] =
          new ReceiveContext(
              info.receive().size(),
              vector == null ? handle -> Receive.UNDIRECTED : vector::life,
              DirectedReceives.of(info).any(),
              room);
    }
    return new Receiving(new Matching(room, contexts), outcomes, null);
  }
}
