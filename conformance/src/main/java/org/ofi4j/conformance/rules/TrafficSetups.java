// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import java.util.stream.Stream;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointType;
import org.ofi4j.conformance.harness.Setup;

/** With which setups messages are exchanged. */
final class TrafficSetups {
  private TrafficSetups() {}

  /** Older versions, and the newest in all formats, with datagrams and with reliable messages. */
  static Stream<Setup> of(Setup newest, Setup... older) {
    Stream<Setup> formats =
        Stream.of(
            newest,
            newest.format(AddressFormat.SOCKADDR_IN6),
            newest.format(AddressFormat.SOCKADDR),
            newest.format(AddressFormat.STR));
    return Stream.concat(Stream.of(older), formats)
        .flatMap(setup -> Stream.of(setup, setup.endpointType(EndpointType.RDM)));
  }
}
