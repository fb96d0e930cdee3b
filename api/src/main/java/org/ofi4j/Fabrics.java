// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.ofi4j.spi.FabricProvider;

/**
 * {@code fi_getinfo} and {@code fi_fabric}: where everything starts. Safe to call from any thread.
 */
public final class Fabrics {
  private Fabrics() {}

  /**
   * {@code fi_getinfo}: finds the ways to communicate that meet the hints.
   *
   * @param hints what is needed
   * @return what fits, best first; empty if nothing does, then {@link InfoAnswer#refusals} says why
   * @throws FabricException with {@link Errno#EINVAL} if they are null
   */
  public static InfoAnswer info(Hints hints) {
    return info(hints, providers());
  }

  /**
   * {@code fi_getinfo} among given providers, for those that are not registered with {@link
   * ServiceLoader}.
   *
   * @param hints what is needed
   * @param providers whom to ask, in order of preference
   * @return what fits, best first
   * @throws FabricException with {@link Errno#EINVAL} if an argument is null
   */
  public static InfoAnswer info(Hints hints, List<? extends FabricProvider> providers) {
    Arguments.required(hints, "hints");
    Arguments.required(providers, "providers");
    List<FabricInfo> offers = new ArrayList<>();
    List<Refusal> refusals = new ArrayList<>();
    for (FabricProvider provider : providers) {
      InfoAnswer answer = provider.info(hints);
      offers.addAll(answer);
      refusals.addAll(answer.refusals());
    }
    return new InfoAnswer(offers, refusals);
  }

  /**
   * {@code fi_fabric}: opens a fabric.
   *
   * @param info an answer of {@link #info(Hints)}
   * @return the fabric
   * @throws FabricException with {@link Errno#ENODATA} if the provider that made the answer is not
   *     there; with {@link Errno#EINVAL} if it is null
   */
  public static Fabric open(FabricInfo info) {
    Arguments.required(info, "info");
    for (FabricProvider provider : providers()) {
      if (provider.names().contains(info.fabric().provider())) {
        return provider.open(info);
      }
    }
    throw new FabricException(
        Errno.ENODATA,
        "no installed provider is named \""
            + info.fabric().provider()
            + "\"; there are "
            + names());
  }

  /** {@return the providers that are installed, those that {@link ServiceLoader} finds} */
  public static List<FabricProvider> providers() {
    List<FabricProvider> providers = new ArrayList<>();
    ServiceLoader.load(FabricProvider.class).forEach(providers::add);
    return List.copyOf(providers);
  }

  private static List<String> names() {
    return providers().stream().flatMap(provider -> provider.names().stream()).toList();
  }
}
