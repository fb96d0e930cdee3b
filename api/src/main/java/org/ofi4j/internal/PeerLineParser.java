// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.PeerLine;
import org.ofi4j.PeerList;

/** Parses lines of a {@link PeerList}, which explains their syntax. Immutable. */
public final class PeerLineParser {
  private static final Pattern SYMMETRIC_NAME =
      Pattern.compile("([A-Za-z0-9._-]*)\\[([0-9]+)\\](?:x([0-9]*))?(.*)");
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9._])?");
  private static final Pattern SERVICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_+.-]*");
  private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}");

  /** A number that resolvers take for an IPv4 address. */
  private static final Pattern NUMBER = Pattern.compile("[0-9]+|0[xX][0-9A-Fa-f]*");

  private static final Pattern COUNTED = Pattern.compile("([0-9]+)x([0-9]*)");

  private final String source;
  private final @Nullable String defaultService;

  public PeerLineParser(String source, @Nullable String defaultService) {
    this.source = source;
    this.defaultService = defaultService;
  }

  /** Parses a line; returns null if it is blank or a comment. */
  public @Nullable PeerLine parse(long number, String line) {
    String peer = withoutComment(line);
    if (peer.isEmpty()) {
      return null;
    }
    Line place = new Line(number, line.strip());
    try {
      if (line.length() > PeerList.MAX_LENGTH) {
        throw bad("is longer than " + PeerList.MAX_LENGTH + " bytes");
      }
      return peer.contains("://")
          ? place.single(FabricAddress.parse(peer))
          : parseNode(peer, place);
    } catch (FabricException refused) {
      String message = String.valueOf(refused.getMessage());
      String reason = message.substring(message.indexOf(": ") + 2);
      return new PeerLine.Malformed(source, number, place.text, refused.errno(), reason);
    }
  }

  /** The place of a line, for the records made from it. */
  private record Line(long number, String text) {
    PeerLine single(FabricAddress address) {
      return new PeerLine.Single(number, text, address);
    }

    PeerLine named(String node, String service) {
      return new PeerLine.Named(number, text, node, service);
    }

    PeerLine.Range range(String node, int nodes, String service, int services) {
      return new PeerLine.Range(number, text, node, nodes, service, services);
    }
  }

  /** Returns the part of a line before its comment. */
  public static String withoutComment(String line) {
    int comment = line.indexOf('#');
    return (comment < 0 ? line : line.substring(0, comment)).strip();
  }

  private PeerLine parseNode(String text, Line line) {
    char first = text.charAt(0);
    if (first == '[') {
      return parseIpv6(text, line);
    }
    int colon = text.indexOf(':');
    if (colon >= 0 && text.indexOf(':', colon + 1) >= 0) {
      throw bad("has more than one colon: an IPv6 address needs brackets, such as [fe80::1]:5000");
    }
    String node = colon < 0 ? text : text.substring(0, colon);
    String given = colon < 0 ? null : text.substring(colon + 1);
    return isNumeric(node)
        ? parseIpv4(node, service(given, node), line)
        : parseName(node, given, line);
  }

  /** Whether a node is meant to be an IPv4 address: digits and dots, and perhaps a count. */
  private static boolean isNumeric(String node) {
    int end = node.indexOf('x');
    int length = end < 0 ? node.length() : end;
    for (int i = 0; i < length; i++) {
      char c = node.charAt(i);
      if (c != '.' && (c < '0' || c > '9')) {
        return false;
      }
    }
    return length > 0 && node.indexOf('.') >= 0;
  }

  private PeerLine parseIpv4(String node, String service, Line line) {
    int times = node.indexOf('x');
    if (times >= 0 || isCounted(service)) {
      String base = times < 0 ? node : node.substring(0, times);
      // Parsed for the sake of its error: a symmetric insertion takes text that is no address for a
      // name.
      ipv4(base, "1");
      return symmetric(base, times < 0 ? null : node.substring(times + 1), service, line);
    }
    if (isPort(service)) {
      return line.single(ipv4(node, service));
    }
    ipv4(node, "1");
    return line.named(node, service);
  }

  /** Parses the text form that the address has in a URI; a refusal quotes the line instead. */
  private static FabricAddress ipv4(String node, String port) {
    try {
      return FabricAddress.parse("fi_sockaddr_in://" + node + ":" + port);
    } catch (FabricException refused) {
      throw bad(
          "\""
              + node
              + "\" is no IPv4 address: it has four numbers from 0 to 255, with dots between them"
              + " and without leading zeros");
    }
  }

  private static FabricAddress ipv6(String node, String port) {
    try {
      return FabricAddress.parse("fi_sockaddr_in6://[" + node + "]:" + port);
    } catch (FabricException refused) {
      throw bad("\"" + node + "\" is no IPv6 address, such as 2001:db8::7");
    }
  }

  /** In an URI the character before the interface is written %25. */
  private static void checkScope(String node) {
    String scope = node.substring(node.indexOf('%') + 1);
    if (scope.matches("25[A-Za-z].*")) {
      throw bad("\"%25\" stands for \"%\" in URIs only: write [" + node.replace("%25", "%") + "]");
    }
  }

  private PeerLine parseIpv6(String text, Line line) {
    int close = text.indexOf(']');
    if (close < 0) {
      throw bad("the bracket of the IPv6 address is never closed");
    }
    String node = text.substring(1, close);
    int colon = text.indexOf(':', close);
    String count = text.substring(close + 1, colon < 0 ? text.length() : colon);
    String service = service(colon < 0 ? null : text.substring(colon + 1), text);
    if (!count.isEmpty() && count.charAt(0) != 'x') {
      throw bad("after the bracket comes a count such as x16 or a port, not \"" + count + "\"");
    }
    boolean scoped = node.indexOf('%') >= 0;
    if (scoped) {
      checkScope(node);
    }
    if (!count.isEmpty() || isCounted(service)) {
      if (!scoped) {
        ipv6(node, "1");
      }
      return symmetric(node, count.isEmpty() ? null : count.substring(1), service, line);
    }
    if (isPort(service) && !scoped) {
      return line.single(ipv6(node, service));
    }
    return line.named(node, service);
  }

  private PeerLine parseName(String node, @Nullable String given, Line line) {
    if (node.indexOf('[') >= 0) {
      Matcher matcher = SYMMETRIC_NAME.matcher(node);
      if (!matcher.matches()) {
        throw bad("\"" + node + "\" is no range of nodes such as rack07-node[001]x64");
      }
      if (!matcher.group(4).isEmpty()) {
        throw bad(
            "after the count comes a port, not \""
                + matcher.group(4)
                + "\": only the last digits of a name can be counted up");
      }
      if (matcher.group(3) == null) {
        throw bad("a range of nodes needs a count, such as rack07-node[001]x64");
      }
      return symmetric(
          matcher.group(1) + matcher.group(2), matcher.group(3), service(given, node), line);
    }
    if (NUMBER.matcher(node).matches()) {
      throw bad("\"" + node + "\" is a number, and no host: write a host, a colon and a port");
    }
    if (!NAME.matcher(node).matches() || node.contains("..")) {
      throw bad("\"" + node + "\" is neither an address nor a host name");
    }
    String service = service(given, node);
    if (isCounted(service)) {
      return counted(node, 1, service, line);
    }
    return line.named(node, service);
  }

  private static PeerLine symmetric(
      String node, @Nullable String nodeCount, String service, Line line) {
    return counted(node, nodeCount == null ? 1 : count(nodeCount, "nodes"), service, line);
  }

  private static PeerLine counted(String node, int nodeCount, String service, Line line) {
    Matcher matcher = COUNTED.matcher(service);
    boolean several = matcher.matches();
    if (!several && service.matches("[0-9]+x[0-9x]*")) {
      throw bad("\"" + service + "\" is no range of ports such as 5000x4");
    }
    String first = several ? matcher.group(1) : service;
    int serviceCount = several ? count(matcher.group(2), "ports") : 1;
    PeerLine.Range range = line.range(node, nodeCount, first, serviceCount);
    if (range.peers() > PeerList.MAX_PEERS) {
      throw bad(
          "%s peers in one line are too many: at most %s; use more lines"
              .formatted(range.peers(), PeerList.MAX_PEERS));
    }
    return range;
  }

  private static int count(String digits, String kind) {
    boolean isNumber = COUNT.matcher(digits).matches();
    int count = isNumber ? Integer.parseInt(digits) : 0;
    if (count < 1 || count > PeerList.MAX_PEERS) {
      throw bad(
          "the number of %s in a line must be 1 to %s%s"
              .formatted(
                  kind,
                  PeerList.MAX_PEERS,
                  digits.isEmpty() ? ", and is missing" : ", not \"" + digits + "\""));
    }
    return count;
  }

  private String service(@Nullable String given, String node) {
    if (given == null) {
      if (defaultService == null) {
        throw bad(
            "\"" + node + "\" has no port: write " + node + ":5000, or give a default service");
      }
      return checked(defaultService);
    }
    if (given.isEmpty()) {
      throw bad("the port after the colon is missing");
    }
    if (!isPort(given) && !SERVICE.matcher(given).matches()) {
      throw bad("\"" + given + "\" is neither a port nor the name of a service");
    }
    return checked(given);
  }

  /** Refuses a port that no range and no address can begin with. */
  private static String checked(String service) {
    int times = isCounted(service) ? service.indexOf('x') : service.length();
    String port = service.substring(0, times);
    if (isPort(port) && port.length() > 1 && port.charAt(0) == '0') {
      throw bad("port " + port + " has to be written without leading zeros");
    }
    if (isPort(port)
        && (port.length() > 5 || (port.length() == 5 && port.compareTo("65535") > 0))) {
      throw bad("port " + port + " does not exist: the last one is 65535");
    }
    return service;
  }

  private static boolean isPort(String service) {
    for (int i = 0; i < service.length(); i++) {
      char c = service.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
    }
    return true;
  }

  private static boolean isCounted(String service) {
    int times = service.indexOf('x');
    return times > 0 && isPort(service.substring(0, times));
  }

  private static FabricException bad(String reason) {
    return new FabricException(Errno.EINVAL, reason);
  }
}
