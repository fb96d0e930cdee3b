// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Hints;

/** The words that a shell offers for an argument; by default those of libfabric. */
public abstract class KnownWords implements Iterable<String> {
  protected KnownWords() {}

  /** Returns the words. */
  protected abstract Stream<String> words();

  @Override
  public final Iterator<String> iterator() {
    return words().iterator();
  }

  /** The names of all installed providers. */
  public static final class Providers extends KnownWords {
    @Override
    protected Stream<String> words() {
      return InstalledProviders.all().stream()
          .map(provider -> provider.names())
          .flatMap(List::stream)
          .distinct();
    }
  }

  /** The domains that are offered without libfabric, which takes long to load. */
  public static final class Domains extends KnownWords {
    @Override
    protected Stream<String> words() {
      return InstalledProviders.info(Hints.latest()).offers().stream()
          .map(offer -> offer.domain().name())
          .distinct();
    }
  }

  /** The fabrics of these domains. */
  public static final class Fabrics extends KnownWords {
    @Override
    protected Stream<String> words() {
      return InstalledProviders.info(Hints.latest()).offers().stream()
          .map(offer -> offer.fabric().name())
          .distinct();
    }
  }

  /** The types of endpoints. */
  public static final class EndpointTypes extends KnownWords {
    @Override
    protected Stream<String> words() {
      return Arrays.stream(EndpointType.values())
          .filter(type -> type != EndpointType.UNSPECIFIED)
          .map(FabricNames::word);
    }
  }

  /** The formats of addresses. */
  public static final class Formats extends KnownWords {
    @Override
    protected Stream<String> words() {
      return Arrays.stream(AddressFormat.values())
          .filter(format -> format != AddressFormat.UNSPECIFIED)
          .map(FabricNames::word);
    }
  }

  /** The capabilities. */
  public static final class Capabilities extends KnownWords {
    @Override
    protected Stream<String> words() {
      return Arrays.stream(Capability.values())
          .map(capability -> capability.name().toLowerCase(Locale.ROOT));
    }
  }

  /** The kinds of messages. */
  public static final class Modes extends KnownWords {
    @Override
    protected Stream<String> words() {
      return Stream.of("msg", "tagged");
    }
  }
}
