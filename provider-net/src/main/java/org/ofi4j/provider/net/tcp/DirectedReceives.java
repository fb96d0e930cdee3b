package org.ofi4j.provider.net.tcp;

import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;

/**
 * Which receives of an endpoint look at the source that they name.
 *
 * @param untagged whether untagged ones do
 * @param tagged whether tagged ones do
 * @param exact whether they must name one
 */
record DirectedReceives(boolean untagged, boolean tagged, boolean exact) {
  /** What an endpoint's capabilities ask for. */
  static DirectedReceives of(FabricInfo info) {
    boolean exact = info.has(Capability.EXACT_DIRECTED_RECEIVE);
    boolean both = exact || info.has(Capability.DIRECTED_RECEIVE);
    return new DirectedReceives(both, both || info.has(Capability.TAGGED_DIRECTED_RECEIVE), exact);
  }

  /** Whether any receive can name its source. */
  boolean any() {
    return untagged || tagged;
  }

  /** The source that a receive is directed at, or {@link Handles#UNSPECIFIED} for all. */
  long source(boolean withTag, long source) {
    if (!(withTag ? tagged : untagged)) {
      return Handles.UNSPECIFIED;
    }
    if (exact && source == Handles.UNSPECIFIED) {
      throw new FabricException(
          Errno.EINVAL,
          "source is UNSPECIFIED: with capability EXACT_DIRECTED_RECEIVE a receive names its"
              + " source");
    }
    return source;
  }
}
