// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.VectorType;

/** Picks combinations until all pairs of values are there. */
final class VariantSource implements ArgumentsProvider {
  /** Many tests want the same, and picking takes longer than most of them. */
  private static final Map<Variants, List<Variant>> PICKED = new ConcurrentHashMap<>();

  @Override
  public Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    Variants wanted = context.getRequiredTestMethod().getAnnotation(Variants.class);
    return PICKED.computeIfAbsent(wanted, each -> pairwise(all(each))).stream().map(Arguments::of);
  }

  private static List<Variant> all(Variants wanted) {
    ApiVersion oldest = wanted.withStatuses() ? ApiVersion.V1_5 : ApiVersion.V1_0;
    List<Setup> setups = new ArrayList<>(Setup.profiles());
    setups.add(Setup.FINAL_1_0);
    List<Variant> all = new ArrayList<>();
    for (Setup setup : setups) {
      for (AddressFormat format : wanted.formats()) {
        if (!setup.isAtLeast(oldest) || !setup.has(format)) {
          continue;
        }
        for (VectorType type : wanted.types()) {
          for (InsertForm form : wanted.forms()) {
            all.add(new Variant(setup.format(format), type, form));
          }
        }
      }
    }
    return all;
  }

  /** Takes the combination with the most pairs not yet seen, until there is none left. */
  private static List<Variant> pairwise(List<Variant> all) {
    Set<List<?>> seen = new HashSet<>();
    List<Variant> picked = new ArrayList<>();
    while (true) {
      Variant best = null;
      long bestGain = 0;
      for (Variant candidate : all) {
        long gain = pairs(candidate).stream().filter(pair -> !seen.contains(pair)).count();
        if (gain > bestGain) {
          best = candidate;
          bestGain = gain;
        }
      }
      if (best == null) {
        return picked;
      }
      seen.addAll(pairs(best));
      picked.add(best);
    }
  }

  private static List<List<?>> pairs(Variant variant) {
    Setup rules = variant.setup().format(AddressFormat.UNSPECIFIED);
    List<?> values = List.of(rules, variant.format(), variant.type(), variant.form());
    List<List<?>> pairs = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      for (int j = i + 1; j < values.size(); j++) {
        pairs.add(List.of(i, values.get(i), j, values.get(j)));
      }
    }
    return pairs;
  }
}
