// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import java.util.stream.Stream;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointType;
import org.ofi4j.Progress;
import org.ofi4j.conformance.harness.Setup;

/** With which setups messages are exchanged. */
final class TrafficSetups {
  private TrafficSetups() {}

  /** Older versions, and the newest in all formats, with datagrams and with reliable messages. */
  static Stream<Setup> of(Setup newest, Setup... older) {
    return Stream.concat(Stream.of(older), allFormats(newest))
        .flatMap(setup -> Stream.of(setup, setup.endpointType(EndpointType.RDM)));
  }

  /** One setup with both ways of progress and in the other formats, and some more as they are. */
  static Stream<Setup> reliable(Setup newest, Setup... more) {
    return Stream.of(Stream.of(more), bothWaysOfProgress(newest), allFormats(newest).skip(1))
        .flatMap(setups -> setups);
  }

  static Stream<Setup> allFormats(Setup setup) {
    return Stream.of(
            AddressFormat.SOCKADDR_IN,
            AddressFormat.SOCKADDR_IN6,
            AddressFormat.SOCKADDR,
            AddressFormat.STR)
        .map(setup::format);
  }

  static Stream<Setup> bothWaysOfProgress(Setup setup) {
    return Stream.of(setup.progress(Progress.MANUAL), setup.progress(Progress.AUTO));
  }
}
