// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
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
    Matching matching = new Matching(info, 1, () -> peers);
    ReceiveOutcomes outcomes = new ReceiveOutcomes(completions, peers, Sources.of(info));
    matching.context(0).endIn(outcomes);
    return new Receiving(matching, new ReceiveOutcomes[] {outcomes}, null);
  }

  /** Those of a scalable endpoint: as many contexts as it has, of which none is open yet. */
  public static Receiving scalable(Peers peers, FabricInfo info, int contexts) {
    ReceiveOutcomes[] outcomes = new ReceiveOutcomes[contexts];
    Sources sources = Sources.of(info);
    Arrays.setAll(outcomes, _ -> new ReceiveOutcomes(new Completions(), peers, sources));
    return new Receiving(new Matching(info, contexts, () -> peers), outcomes, null);
  }
}
