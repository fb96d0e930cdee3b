// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.HintMatch;
import org.ofi4j.spi.FabricProvider;

/**
 * {@code fi_getinfo} and {@code fi_fabric}: where everything starts. Safe to call from any thread.
 *
 * {@snippet class="examples.Messages" region="offers"}
 */
public final class Fabrics {
  private Fabrics() {}

  /**
   * {@code fi_getinfo}: finds the ways to communicate that meet the hints. Offers are in the order
   * of {@link #providers}, and those of one provider in the order in which it prefers them. Each
   * offer meets all hints: this method drops an offer of a provider that does not.
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
      List<Refusal> unmet = new ArrayList<>();
      Set<String> offering = new HashSet<>();
      for (FabricInfo offer : answer.offers()) {
        String name = offer.fabric().provider();
        String reason = HintMatch.unmet(hints, offer, provider.names());
        if (reason == null) {
          offers.add(offer.toBuilder().offeredBy(provider).build());
          offering.add(name);
        } else {
          unmet.add(new Refusal(name, Errno.ENODATA, reason));
        }
      }
      refusals.addAll(answer.refusals());
      unmet.stream()
          .distinct()
          .filter(each -> !offering.contains(each.provider()))
          .forEach(refusals::add);
    }
    return new InfoAnswer(offers, refusals);
  }

  /**
   * {@code fi_getinfo} and {@code fi_fabric}: opens the fabric of the {@linkplain InfoAnswer#best
   * best} offer. {@link Fabric#info} tells what was taken.
   *
   * @param hints what is needed
   * @return the fabric
   * @throws FabricException as {@link InfoAnswer#best} and {@link #open(FabricInfo)}
   */
  public static Fabric open(Hints hints) {
    return open(info(hints).best());
  }

  /**
   * {@code fi_fabric}: opens a fabric.
   *
   * @param info an offer in an answer of {@link #info(Hints)} or {@link #info(Hints, List)}, or a
   *     changed copy of one
   * @return the fabric
   * @throws FabricException with {@link Errno#EINVAL} if the information is null, or came from
   *     {@link FabricProvider#info} without these calls; the errno of the provider if the fabric
   *     cannot be opened
   */
  public static Fabric open(FabricInfo info) {
    FabricProvider provider = Arguments.required(info, "info").offeredBy();
    if (provider == null) {
      throw new FabricException(
          Errno.EINVAL,
          "info: no provider is known that offered it; take an offer of Fabrics.info(hints), or of"
              + " Fabrics.info(hints, providers)");
    }
    return provider.open(info);
  }

  /**
   * Opens an endpoint over UDP with all that belongs to it, for a first message. Messages may get
   * lost.
   *
   * @param address an address of this host and a port, {@code 127.0.0.1:0}, {@code [::1]:0} or
   *     {@code myhost:5000}; port 0 is any
   * @return what sends and receives
   * @throws FabricException as {@link InfoAnswer#best}, or the errno of the network when the
   *     address cannot be used
   */
  public static Messenger udp(String address) {
    return Messenger.open("udp", EndpointType.DGRAM, address);
  }

  /**
   * Opens a reliable endpoint over TCP with all that belongs to it, for a first message.
   *
   * @param address as for {@link #udp}
   * @return what sends and receives
   * @throws FabricException as for {@link #udp}
   */
  public static Messenger tcp(String address) {
    return Messenger.open("tcp", EndpointType.RDM, address);
  }

  /**
   * Opens an endpoint of any fabric with all that belongs to it. A sender that is not known is
   * inserted if the hints ask for {@link Capability#SOURCE_ERR}, which native fabrics do not have:
   * insert the peers there.
   *
   * @param hints what is needed, with the type {@link EndpointType#RDM} or {@link
   *     EndpointType#DGRAM}; messages, their sources and {@link Progress#AUTO} are asked for beside
   *     it
   * @return what sends and receives
   * @throws FabricException as {@link #open(Hints)}, or the errno of the fabric if the endpoint
   *     cannot be opened
   */
  public static Messenger messenger(Hints hints) {
    return Messenger.open(hints);
  }

  /**
   * Returns the installed providers: those that {@link ServiceLoader} finds with the class loader
   * of ofi4j, and those that only the context class loader of the calling thread finds. The context
   * class loader is ignored if it is null, or if the ofi4j that it finds is another copy of the
   * library.
   *
   * @return the providers, each class once: by {@link FabricProvider#rank}, and by the name of the
   *     class where the rank is the same
   */
  public static List<FabricProvider> providers() {
    List<FabricProvider> providers = new ArrayList<>();
    ClassLoader own = Fabrics.class.getClassLoader();
    ServiceLoader.load(FabricProvider.class, own).forEach(providers::add);
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null && !context.equals(own) && findsThisLibrary(context)) {
      Set<Class<?>> known = new HashSet<>();
      providers.forEach(provider -> known.add(provider.getClass()));
      ServiceLoader.load(FabricProvider.class, context).stream()
          .filter(found -> known.add(found.type()))
          .forEach(found -> providers.add(found.get()));
    }
    providers.sort(
        Comparator.comparingInt(FabricProvider::rank)
            .thenComparing(provider -> provider.getClass().getName()));
    return List.copyOf(providers);
  }

  // A provider for another copy of the service class would end the search with an error.
  private static boolean findsThisLibrary(ClassLoader loader) {
    try {
      return FabricProvider.class.equals(loader.loadClass(FabricProvider.class.getName()));
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }
}
