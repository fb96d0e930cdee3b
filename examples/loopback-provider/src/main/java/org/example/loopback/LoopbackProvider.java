// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Progress;
import org.ofi4j.Refusal;
import org.ofi4j.Threading;
import org.ofi4j.provider.kit.HintCheck;
import org.ofi4j.provider.kit.KitFabric;
import org.ofi4j.spi.FabricProvider;

/**
 * Offers endpoints that reach each other within this JVM: reliable ones with messages, tagged
 * messages and remote access to memory, and datagram endpoints.
 */
public final class LoopbackProvider implements FabricProvider {
  /** The name that hints ask for. */
  public static final String NAME = "loopback";

  /** The longest message; it is copied once on its way. */
  static final int MAX_MESSAGE = 16 << 20;

  /** The longest datagram. */
  private static final int MAX_DATAGRAM = 8 << 10;

  private static final int QUEUE_SIZE = 256;

  private static final long OF_DATAGRAMS =
      Flag.maskOf(
          Capability.MSG,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.SOURCE,
          Capability.SOURCE_ERR,
          Capability.AV_USER_ID,
          Capability.LOCAL_COMM);

  private static final long OF_RELIABLE_ENDPOINTS =
      OF_DATAGRAMS
          | Flag.maskOf(
              Capability.TAGGED,
              Capability.RMA,
              Capability.READ,
              Capability.WRITE,
              Capability.REMOTE_READ,
              Capability.REMOTE_WRITE);

  /** Creates the provider; {@link java.util.ServiceLoader} does. */
  public LoopbackProvider() {}

  @Override
  public List<String> names() {
    return List.of(NAME);
  }

  /** The last of all offers: no other process can be reached. */
  @Override
  public int rank() {
    return 100;
  }

  @Override
  public InfoAnswer info(Hints hints) {
    // Reliable endpoints come first, and speak for both unless hints ask for datagrams.
    InfoAnswer datagrams = new HintCheck(hints, most(hints, EndpointType.DGRAM)).answer();
    if (hints.endpointType() == EndpointType.DGRAM) {
      return datagrams;
    }
    InfoAnswer reliable = new HintCheck(hints, most(hints, EndpointType.RDM)).answer();
    List<FabricInfo> offers = new ArrayList<>(reliable.offers());
    offers.addAll(datagrams.offers());
    List<Refusal> refusals = offers.isEmpty() ? reliable.refusals() : List.of();
    return new InfoAnswer(offers, refusals);
  }

  /** Describes the most that endpoints of a type can do, whatever is asked for. */
  private static FabricInfo most(Hints hints, EndpointType type) {
    boolean reliable = type == EndpointType.RDM;
    return HintCheck.describe(hints)
        .capabilities(reliable ? OF_RELIABLE_ENDPOINTS : OF_DATAGRAMS)
        .addressFormat(AddressFormat.SOCKADDR_IN)
        .fabric(
            FabricInfo.FabricAttributes.builder()
                .provider(NAME)
                .name("loopback")
                .providerVersion("1.0")
                .build())
        .domain(
            FabricInfo.DomainAttributes.builder()
                .name("jvm")
                .threading(Threading.SAFE)
                .progress(Progress.AUTO)
                .maxEndpointTransmitContexts(1)
                .maxEndpointReceiveContexts(1)
                .memoryRegionKeySize(reliable ? Long.BYTES : 0)
                .maxErrorData(LoopbackNetwork.PACKED_SIZE)
                .build())
        .endpoint(
            FabricInfo.EndpointAttributes.builder()
                .type(type)
                .protocol("LOOPBACK")
                .maxMessageSize(reliable ? MAX_MESSAGE : MAX_DATAGRAM)
                .build())
        .transmit(
            FabricInfo.Transmit.builder()
                .injectSize(MAX_DATAGRAM)
                .size(QUEUE_SIZE)
                .iovLimit(4)
                .rmaIovLimit(reliable ? 4 : 0)
                .build())
        .receive(FabricInfo.Receive.builder().size(QUEUE_SIZE).iovLimit(4).build())
        .build();
  }

  @Override
  public Fabric open(FabricInfo info) {
    if (!info.fabric().provider().equals(NAME)) {
      throw new FabricException(
          Errno.EINVAL,
          "information of provider \"" + info.fabric().provider() + "\" is not of " + this);
    }
    return new KitFabric(info, (fabric, domain) -> new LoopbackDomain(domain));
  }

  @Override
  public String toString() {
    return "provider " + NAME;
  }
}
