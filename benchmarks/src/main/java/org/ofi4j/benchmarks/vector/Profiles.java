// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.process.FreshJvmProcess;

/** Profiles of work whose bar is not met, each made in a JVM of its own when all is measured. */
final class Profiles {
  private final JvmSource jvms;
  private final BenchmarkListener listener;

  /** For two bars on the same work, one profile. */
  private final Map<ProfiledWork, Map<String, Double>> made = new LinkedHashMap<>();

  Profiles(JvmSource jvms, BenchmarkListener listener) {
    this.jvms = jvms;
    this.listener = listener;
  }

  /** The bars, with profiles of those that are not met if their work can be repeated. */
  List<Bar> of(List<Bar> bars) throws IOException {
    List<Bar> profiled = new ArrayList<>();
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      ProfiledWork work = Boolean.FALSE.equals(bar.met()) ? ProfiledWork.of(bar.quantity()) : null;
      if (work == null) {
        profiled.add(bar);
        continue;
      }
      listener.at("profile of " + bar.quantity().title(), i, bars.size());
      profiled.add(bar.with(profile(work, bar.size())));
    }
    return profiled;
  }

  private Map<String, Double> profile(ProfiledWork work, long peers) throws IOException {
    @Nullable Map<String, Double> known = made.get(work);
    if (known != null) {
      return known;
    }
    Map<String, Double> parts = new LinkedHashMap<>();
    try (FreshJvmProcess jvm = jvms.startForProfile()) {
      jvm.tell(
          "profile " + peers + " " + work.name(),
          figure -> parts.put(figure.quantity().title(), figure.value()));
    }
    made.put(work, parts);
    return parts;
  }
}
