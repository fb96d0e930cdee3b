// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.PeerLineParser;

/**
 * One line of a {@link PeerList} that is neither blank nor a comment. A {@code switch} over its
 * kinds cannot forget the malformed ones. Immutable.
 */
public sealed interface PeerLine {
  /** {@return the number of the line in its list, from 1} */
  long number();

  /** {@return the line, with its comment, without white space around it} */
  String text();

  /**
   * Parses a line that is in no list, such as an argument of a command. Its number is 1.
   *
   * @param line the line, in the syntax that {@link PeerList} explains
   * @param defaultService the port or service of a line without one; null to refuse such a line
   * @return the line, or null if it is blank or a comment
   */
  static @Nullable PeerLine parse(String line, @Nullable String defaultService) {
    return new PeerLineParser("", defaultService).parse(1, Arguments.required(line, "line"));
  }

  /**
   * Inserts the peers of this line into a vector, as {@link AddressVector#insert(List)}, {@link
   * AddressVector#insertService(String, String)} or {@link AddressVector#insertSymmetric(String,
   * int, String, int)} does. Names are resolved by the vector.
   *
   * @param vector the vector; one of {@link AddressFormat#STR} takes addresses as text
   * @return the outcome, with the handle or the failure of each peer
   * @throws FabricException if the line is malformed, with the errno and the text of {@link
   *     Malformed}; or as the vector throws
   */
  default Insertion insertInto(AddressVector vector) {
    return switch (this) {
      case Single single ->
          vector.insert(
              List.of(
                  Arguments.required(vector, "vector").format() == AddressFormat.STR
                      ? new FabricAddress.TextAddress(single.address.toText())
                      : single.address));
      case Named named -> vector.insertService(named.node, named.service, InsertOptions.none());
      case Range range ->
          vector.insertSymmetric(range.node, range.nodeCount, range.service, range.serviceCount);
      case Malformed malformed -> throw new FabricException(malformed.errno, malformed.toString());
    };
  }

  /**
   * One peer at a numeric address.
   *
   * @param number the number of the line, from 1
   * @param text the line
   * @param address the address
   */
  record Single(long number, String text, FabricAddress address) implements PeerLine {}

  /**
   * One peer by name: its host, its service or both have to be looked up.
   *
   * @param number the number of the line, from 1
   * @param text the line
   * @param node the host, a name or a numeric address, perhaps with a zone
   * @param service the port or the name of a service
   */
  record Named(long number, String text, String node, String service) implements PeerLine {}

  /**
   * Consecutive services on consecutive nodes.
   *
   * @param number the number of the line, from 1
   * @param text the line
   * @param node the first node, a name that ends in digits or a numeric address
   * @param nodeCount the number of nodes, at least 1
   * @param service the first port, or the name of the service
   * @param serviceCount the number of services on each node, at least 1
   */
  record Range(
      long number, String text, String node, int nodeCount, String service, int serviceCount)
      implements PeerLine {
    /** {@return the number of peers, at most {@link PeerList#MAX_PEERS}} */
    public long peers() {
      return (long) nodeCount * serviceCount;
    }
  }

  /**
   * A line that names no peer.
   *
   * @param source the name of the list, such as that of the file
   * @param number the number of the line, from 1
   * @param text the line
   * @param errno the errno of the address, mostly {@link Errno#EINVAL}
   * @param reason the rule that the line breaks, and mostly how to write it
   */
  record Malformed(String source, long number, String text, Errno errno, String reason)
      implements PeerLine {
    /** Source, line, text and rule, as in {@code peers.txt:7: "10.1.1.7": ...}. */
    @Override
    public String toString() {
      String place = source.isEmpty() ? "" : source + ":" + number + ": ";
      String peer = PeerLineParser.withoutComment(text);
      String shown = peer.length() <= 100 ? peer : peer.substring(0, 100) + "...";
      return Printable.line(place + "\"" + shown + "\": " + reason);
    }
  }
}
