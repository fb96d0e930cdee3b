// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;

import org.ofi4j.Capability;
import org.ofi4j.ContextOptions;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;

/** The information of a context of a scalable endpoint: one direction of that of the endpoint. */
final class ContextInfo {
  private static final long MESSAGES = Flag.maskOf(Capability.MSG, Capability.TAGGED);
  private static final long ACCESS = Flag.maskOf(Capability.READ, Capability.WRITE);

  /** Capabilities that a receive context cannot have. */
  private static final long SENDING = Capability.SEND.mask() | ACCESS;

  private static final long REMOTE_ACCESS =
      Flag.maskOf(Capability.REMOTE_READ, Capability.REMOTE_WRITE);

  /** Capabilities for how receives are posted and end. */
  private static final long RECEIVES =
      Flag.maskOf(
          Capability.RECEIVE,
          Capability.MULTI_RECEIVE,
          Capability.DIRECTED_RECEIVE,
          Capability.TAGGED_DIRECTED_RECEIVE,
          Capability.EXACT_DIRECTED_RECEIVE,
          Capability.SOURCE,
          Capability.SOURCE_ERR);

  private ContextInfo() {}

  /**
   * Returns the information of a context.
   *
   * @param sends whether it is a transmit context; otherwise it is a receive context
   * @param whole the information of the scalable endpoint
   * @param maxSize the largest size of its queue
   */
  static FabricInfo of(boolean sends, FabricInfo whole, ContextOptions asked, int maxSize) {
    long own = MESSAGES | (sends ? Capability.RMA.mask() | SENDING : RECEIVES);
    check(sends ? "transmit" : "receive", whole, asked, own, maxSize);
    long caps = whole.capabilities() & ~(sends ? RECEIVES | REMOTE_ACCESS : SENDING);
    if (asked.capabilities() != 0) {
      caps &= ~own | (sends ? sending(asked.capabilities()) : receiving(asked.capabilities()));
    }
    FabricInfo.Transmit out = whole.transmit();
    FabricInfo.Receive in = whole.receive();
    return whole
        .withCapabilities(caps)
        .withContexts(
            sends ? out.toBuilder().size(size(asked, out.size())).build() : out,
            sends ? in : in.toBuilder().size(size(asked, in.size())).build());
  }

  /** Returns capabilities with the directions that they stand for. */
  private static long sending(long asked) {
    long wanted = asked;
    if ((wanted & SENDING) == 0) {
      // Kinds without a direction stand for all that the endpoint does of them.
      wanted |= (wanted & MESSAGES) == 0 ? 0 : Capability.SEND.mask();
      wanted |= (wanted & Capability.RMA.mask()) == 0 ? 0 : ACCESS;
    }
    return wanted;
  }

  private static long receiving(long asked) {
    boolean tellsUnknown = (asked & Capability.SOURCE_ERR.mask()) != 0;
    return asked | Capability.RECEIVE.mask() | (tellsUnknown ? Capability.SOURCE.mask() : 0);
  }

  private static int size(ContextOptions asked, int otherwise) {
    return asked.size() == 0 ? otherwise : asked.size();
  }

  private static void check(
      String which, FabricInfo whole, ContextOptions asked, long own, int maxSize) {
    long foreign = asked.capabilities() & ~(own & whole.capabilities());
    if (foreign != 0) {
      throw invalid(
          "caps 0x%x for a %s context: %s"
              .formatted(
                  foreign,
                  which,
                  (foreign & ~whole.capabilities()) != 0
                      ? "the scalable endpoint has not all of them; ask for them in its hints"
                      : "they are not of this half, or concern the whole endpoint"));
    }
    if (asked.size() < 0 || asked.size() > maxSize) {
      throw invalid(
          "size %s of a %s context: must be 1 to %s, or 0 for that of the scalable endpoint"
              .formatted(asked.size(), which, maxSize));
    }
  }
}
