// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.SharedVectorStatus;
import org.ofi4j.SharedVectors;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.VectorTraits;
import org.ofi4j.core.mapped.VectorVerifier;
import org.ofi4j.spi.VectorDomain;

/** The named vectors of a domain, by the files that they have. */
public final class CoreSharedVectors implements SharedVectors {

  /** For who attaches or leaves just now. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final String domain;

  /** Those of a domain. */
  public CoreSharedVectors(FabricInfo info) {
    this(OpenedEntries.domain(info));
  }

  private CoreSharedVectors(String domain) {
    this.domain = domain;
  }

  /** Returns the domains of some providers that have vectors with files, offered now or not. */
  public static List<VectorDomain> domains(Predicate<String> providers) {
    List<VectorDomain> found = new ArrayList<>();
    for (String domain : NamedStore.domains()) {
      Matcher parts = OpenedEntries.DOMAIN.matcher(domain);
      if (parts.matches() && providers.test(parts.group(1))) {
        found.add(
            new VectorDomain(
                parts.group(1), parts.group(2), parts.group(3), new CoreSharedVectors(domain)));
      }
    }
    return List.copyOf(found);
  }

  /** Whether a domain has any. */
  public static boolean areIn(FabricInfo info) {
    return VectorRules.sharesVectors(info);
  }

  /** Returns the directory of this user in which they have their files, made if it is not there. */
  public static Path directory() {
    return NamedStore.directory();
  }

  @Override
  public List<String> names() {
    return NamedStore.names(domain);
  }

  @Override
  public SharedVectorStatus status(String name) {
    checkName(name);
    try (NamedStore store = NamedStore.open(domain, name, VectorTraits.ANY, true, TIMEOUT)) {
      return store.status(name);
    }
  }

  @Override
  public void unlink(String name) {
    checkName(name);
    NamedStore.unlink(domain, name, TIMEOUT);
  }

  @Override
  public SharedVectorReport verify(String name, Duration timeout) {
    checkName(name);
    return VectorVerifier.verify(domain, name, required(timeout, "timeout"));
  }

  private static void checkName(String name) {
    if (name == null || name.isEmpty()) {
      throw invalid("name is " + (name == null ? "null" : "empty"));
    }
    VectorRules.checkEncodable(name);
  }

  @Override
  public String toString() {
    return "named vectors of " + domain;
  }
}
