// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import static org.ofi4j.conformance.harness.Addresses.dotted;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.conformance.harness.FabricTexts;

/**
 * Few addresses, so that duplicates and returns of removed peers are frequent, and everything that
 * can be wrong with one.
 */
final class AddressPool {
  private static final int HOSTS = 7;
  private static final int PORTS = 4;
  private static final int FIRST_HOST = 0x0A01_01FD; // 10.1.1.253, so that symmetric ranges carry
  private static final int FIRST_PORT = 5000;
  private static final long PREFIX = 0x2001_0DB8_0000_0000L;
  private static final long LINK_LOCAL = 0xFE80_0000_0000_0000L;
  private static final long FIRST_LOW = 0xFDL;
  private static final int NOT_AVAILABLE = Errno.EADDRNOTAVAIL.number();
  private static final int INVALID = Errno.EINVAL.number();
  private static final int NO_DATA = Errno.ENODATA.number();

  private final AddressFormat format;
  private final boolean fabricTexts;
  private final boolean holdsV4;
  private final boolean holdsV6;

  /**
   * A pool of one format.
   *
   * @param fabricTexts whether text in any format is an address of the fabric
   */
  AddressPool(AddressFormat format, boolean fabricTexts) {
    this.format = format;
    this.fabricTexts = fabricTexts;
    holdsV4 = format != AddressFormat.SOCKADDR_IN6;
    holdsV6 = format != AddressFormat.SOCKADDR_IN;
  }

  /** A symmetric range: all services of one node before the next node (AV-117). */
  record Bounds(String node, int nodes, String service, int services) {
    int count() {
      return nodes * services;
    }
  }

  /** A symmetric range and all that it stands for, in order. */
  record Range(Bounds bounds, List<Element> elements) {}

  /** Anything that may stand in a list of addresses. */
  Element any(RandomGenerator random) {
    return switch (random.nextInt(16)) {
      case 0 -> unusable(random);
      case 1 -> malformed(random);
      default -> good(random);
    };
  }

  /** An address that any vector of this format takes. */
  Element good(RandomGenerator random) {
    int port = FIRST_PORT + random.nextInt(PORTS);
    int host = random.nextInt(HOSTS);
    if (isIpv4(random)) {
      return element(new SocketAddress4(FIRST_HOST + host, port), 0, random);
    }
    int flow = random.nextInt(4) == 0 && format != AddressFormat.STR ? 7 : 0;
    if (host == 0 && format != AddressFormat.STR) {
      return element(
          new SocketAddress6(LINK_LOCAL, 1, port, flow, 1 + random.nextInt(2)), 0, random);
    }
    long low = host == 1 ? 0xFFFF_0A01_01FDL : FIRST_LOW + host;
    long high = host == 1 ? 0 : PREFIX; // the mapped form of an IPv4 address is another peer
    return element(new SocketAddress6(high, low, port, flow, 0), 0, random);
  }

  private boolean isIpv4(RandomGenerator random) {
    return !holdsV6 || (holdsV4 && random.nextBoolean());
  }

  private Element unusable(RandomGenerator random) {
    boolean anyAddress = random.nextBoolean();
    int port = anyAddress ? FIRST_PORT : 0;
    FabricAddress address =
        isIpv4(random)
            ? new SocketAddress4(anyAddress ? 0 : FIRST_HOST, port)
            : new SocketAddress6(anyAddress ? 0 : PREFIX, anyAddress ? 0 : 1, port, 0, 0);
    return element(address, NOT_AVAILABLE, random);
  }

  private Element malformed(RandomGenerator random) {
    return switch (format) {
      case SOCKADDR_IN, SOCKADDR_IN6 -> {
        FabricAddress four = new SocketAddress4(FIRST_HOST, FIRST_PORT);
        FabricAddress six = new SocketAddress6(PREFIX, 1, FIRST_PORT, 0, 0);
        FabricAddress other = holdsV4 ? six : four;
        byte[] packed = (holdsV4 ? four : six).toBytes();
        packed[0] = random.nextBoolean() ? other.toBytes()[0] : 99; // the family
        yield new Element(other, packed, null, null, INVALID, other, other);
      }
      case STR -> {
        List<String> texts =
            Stream.of(
                    "fi_sockaddr_in://10.1.1.1:65536",
                    "fi_sockaddr_in://10.1.1.256:5000",
                    "fi_sockaddr_in6://fe80::1:5000",
                    "fi_sockaddr_in://10.1.1.1:",
                    "10.1.1.1:5000",
                    "fi_nothing://10.1.1.1:5000",
                    "")
                .filter(text -> !(fabricTexts && FabricTexts.hasFormat(text)))
                .toList();
        TextAddress text = new TextAddress(texts.get(random.nextInt(texts.size())));
        yield new Element(text, terminated(text.text()), null, null, INVALID, text, text);
      }
      default -> unusable(random); // by family there is no length to an element of a wrong one
    };
  }

  private Element element(FabricAddress address, int errno, RandomGenerator random) {
    if (format == AddressFormat.STR) {
      TextAddress text = new TextAddress(spelling(address, random));
      return new Element(text, terminated(text.text()), null, null, errno, text, identity(address));
    }
    byte[] packed = address.toBytes();
    if (address instanceof SocketAddress4 && random.nextInt(4) == 0) {
      packed[15] = 1; // sin_zero means nothing (D-21)
    }
    return new Element(address, packed, null, null, errno, address, identity(address));
  }

  private static Object identity(FabricAddress address) {
    return address instanceof SocketAddress6 six
        ? new SocketAddress6(six.high(), six.low(), six.port(), 0, six.scopeId())
        : address;
  }

  private static String spelling(FabricAddress address, RandomGenerator random) {
    String text = text(address);
    return switch (random.nextInt(5)) {
      case 0 -> text.substring(0, 8).toUpperCase(Locale.ROOT) + text.substring(8);
      case 1 -> text + "?qos=3";
      case 2 -> "fi_sockaddr" + text.substring(text.indexOf("://"));
      default -> text;
    };
  }

  /** The text that the rules ask for, put together here so that nothing under test is believed. */
  static String text(FabricAddress address) {
    return switch (address) {
      case TextAddress text -> text.text();
      case SocketAddress4 four -> "fi_sockaddr_in://" + node(four) + ":" + four.port();
      case SocketAddress6 six -> "fi_sockaddr_in6://[" + node(six) + "]:" + six.port();
      default -> throw new IllegalArgumentException(address.toString());
    };
  }

  /** The node by itself; covers the addresses of this pool only. */
  private static String node(FabricAddress address) {
    if (address instanceof SocketAddress4 four) {
      return dotted(four.address());
    }
    SocketAddress6 six = (SocketAddress6) address;
    if (six.high() == 0 && six.low() >>> 32 == 0xFFFFL) {
      return "::ffff:" + dotted((int) six.low());
    }
    if (six.high() == 0 && six.low() == 0) {
      return "::";
    }
    String prefix = six.high() == LINK_LOCAL ? "fe80::" : "2001:db8::";
    return prefix + (six.low() == 0 ? "" : Long.toHexString(six.low()));
  }

  private static byte[] terminated(String text) {
    return (text + "\0").getBytes(StandardCharsets.UTF_8);
  }

  /** One node and service for {@code insertService}: numbers, a whole address, or a name. */
  Element service(RandomGenerator random, boolean wholeAddresses) {
    int port = FIRST_PORT + random.nextInt(PORTS);
    FabricAddress address = at(2 + random.nextInt(HOSTS - 2), port, isIpv4(random));
    int kind = random.nextInt(wholeAddresses ? 8 : 7);
    if (kind == 7) {
      String whole = spelling(address, random);
      return new Element(address, null, whole, null, 0, kept(address, whole), identity(address));
    }
    if (kind == 6) {
      boolean known = random.nextInt(4) != 0;
      int host = random.nextInt(HOSTS);
      FabricAddress found = at(host, port, holdsV4);
      String name = known ? name(host) : "nobody";
      int errno = known ? 0 : NO_DATA;
      return new Element(
          found, null, name, String.valueOf(port), errno, kept(found), identity(found));
    }
    return new Element(
        address, null, node(address), String.valueOf(port), 0, kept(address), identity(address));
  }

  private static FabricAddress at(int host, int port, boolean ipv4) {
    return ipv4
        ? new SocketAddress4(FIRST_HOST + host, port)
        : new SocketAddress6(PREFIX, FIRST_LOW + host, port, 0, 0);
  }

  /** A symmetric range, some of which run past the last port, the last address or known names. */
  Range range(RandomGenerator random) {
    int nodes = random.nextInt(5);
    int services = random.nextInt(4);
    int port = random.nextInt(8) == 0 ? 65_534 : FIRST_PORT + random.nextInt(PORTS);
    int host = random.nextInt(HOSTS);
    List<Element> elements = new ArrayList<>();
    boolean named = random.nextInt(6) == 0;
    boolean ipv4 = named ? holdsV4 : isIpv4(random);
    boolean last = !named && ipv4 && random.nextInt(8) == 0;
    if (last) {
      host = -2 - FIRST_HOST; // 255.255.255.254
    }
    int first = named ? FIRST_PORT : port;
    for (int i = 0; i < nodes * services; i++) {
      int step = i / services;
      int errno = outOfRange(first + i % services);
      if (named && host + step >= HOSTS) {
        errno = NO_DATA;
      } else if (last && step > 1) {
        errno = NOT_AVAILABLE;
      }
      elements.add(inRange(at(host + step, first + i % services & 0xFFFF, ipv4), errno));
    }
    String node = named ? name(host) : node(at(host, first, ipv4));
    return new Range(new Bounds(node, nodes, String.valueOf(first), services), elements);
  }

  private static int outOfRange(int port) {
    return port > 65_535 ? NOT_AVAILABLE : 0;
  }

  private Element inRange(FabricAddress address, int errno) {
    FabricAddress stored = errno == 0 ? kept(address) : address;
    return new Element(address, null, null, null, errno, stored, identity(address));
  }

  private FabricAddress kept(FabricAddress address) {
    return kept(address, text(address));
  }

  private FabricAddress kept(FabricAddress address, String spelling) {
    return format == AddressFormat.STR ? new TextAddress(spelling) : address;
  }

  private static String name(int host) {
    return String.format(Locale.ROOT, "peer%02d", host);
  }

  /** Knows the names of this pool: both addresses of each, IPv4 first. */
  static List<InetAddress> resolve(String host) throws UnknownHostException {
    for (int i = 0; i < HOSTS; i++) {
      if (host.equals(name(i))) {
        return List.of(
            InetAddress.ofLiteral(node(at(i, 0, true))),
            InetAddress.ofLiteral(node(at(i, 0, false))));
      }
    }
    throw new UnknownHostException(host);
  }
}
