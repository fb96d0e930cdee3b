// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;

/** The value of {@code --publish}: a host, and a port unless it is the port of the endpoint. */
record PublishedAddress(String text) {
  /** A host in brackets or without colons; an IPv6 address without brackets has no port. */
  private static final Pattern WITH_PORT =
      Pattern.compile("(?:\\[(.+)\\]|([^:\\[\\]]+)):([0-9]{1,5})");

  private static final int LAST_PORT = 65_535;

  /**
   * Returns the address in the format of an endpoint's address.
   *
   * @param endpoint the address of the endpoint
   * @throws CommandException if the host has no address of this format
   */
  FabricAddress of(FabricAddress endpoint) {
    if (text.contains("://")) {
      return FabricAddress.parse(text);
    }
    Matcher withPort = WITH_PORT.matcher(text);
    boolean hasPort = withPort.matches();
    int port = hasPort ? Integer.parseInt(withPort.group(3)) : port(endpoint);
    if (port < 1 || port > LAST_PORT) {
      throw wrong("the port is from 1 to " + LAST_PORT, null);
    }
    String host = text;
    if (hasPort) {
      host = withPort.group(1) == null ? withPort.group(2) : withPort.group(1);
    } else if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    for (InetAddress each : addresses(host)) {
      FabricAddress published = FabricAddress.of(new InetSocketAddress(each, port));
      if (published.format() == endpoint.format() && !each.isAnyLocalAddress()) {
        return published;
      }
    }
    throw wrong("\"" + host + "\" has no address like that of the endpoint, " + endpoint, null);
  }

  private InetAddress[] addresses(String host) {
    try {
      return InetAddress.getAllByName(host);
    } catch (UnknownHostException unknown) {
      throw wrong("\"" + host + "\" is no address, and no host has this name", unknown);
    }
  }

  private int port(FabricAddress endpoint) {
    return switch (endpoint) {
      case SocketAddress4 address -> address.port();
      case SocketAddress6 address -> address.port();
      default ->
          throw wrong(
              "the endpoint is at " + endpoint + ": give an address of this format in full", null);
    };
  }

  private CommandException wrong(String reason, @Nullable Throwable cause) {
    return new CommandException(
        ExitCode.USAGE,
        "--publish \"" + text + "\": " + reason + "; give HOST:PORT, such as 192.0.2.7:7000",
        cause);
  }
}
