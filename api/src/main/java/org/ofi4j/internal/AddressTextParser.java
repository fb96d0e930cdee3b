// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;

/**
 * Reads addresses from text, after the grammar of fi_getinfo(3): {@code
 * format://node:service/field3?key=value}. The parser passes over the part behind the service but
 * for the keys that {@link AddressTextPrinter} writes: {@code scope} and {@code flow} of IPv6, and
 * {@code bytes} of providers' addresses. Numbers are taken strictly: no signs, no spaces, nothing
 * out of range (D-38 in docs/internals/decisions.md). IPv4 and IPv6 may go without the format, as
 * in {@code 10.1.1.7:5000}.
 */
public final class AddressTextParser {
  private static final String SEPARATOR = "://";
  private static final String EXAMPLES =
      "write it like 10.1.1.7:5000, [2001:db8::7]:5000 or fi_sockaddr_in://10.1.1.7:5000";
  private static final int MAX_PORT = 0xFFFF;
  private static final int SHOWN = 100;

  private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfShort U16_BE = U16.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong U64_BE = U64.withOrder(ByteOrder.BIG_ENDIAN);

  private final String text;
  private final String rest;

  private AddressTextParser(String text, String rest) {
    this.text = text;
    this.rest = rest;
  }

  public static FabricAddress parse(String text) {
    int separator = text.indexOf(SEPARATOR);
    if (separator < 0) {
      return withoutFormat(text);
    }
    String prefix = text.substring(0, separator);
    AddressTextParser parser =
        new AddressTextParser(text, text.substring(separator + SEPARATOR.length()));
    String name = lowerCase(prefix);
    FabricAddress whole = parser.wholeBytes(name);
    if (whole != null) {
      return whole;
    }
    return switch (name) {
      case "fi_sockaddr_in" -> parser.ipv4();
      case "fi_sockaddr_in6" -> parser.ipv6();
      // libfabric knows only the two above; its manual, and sense, the two below.
      case "fi_sockaddr", "fi_sockaddr_ip" ->
          parser.rest.startsWith("[") ? parser.ipv6() : parser.ipv4();
      case "fi_sockaddr_ib" -> parser.infiniBand();
      case "fi_addr_psmx2" -> parser.words(AddressFormat.PSMX2, 2);
      case "fi_addr_psmx3" -> parser.words(AddressFormat.PSMX3, 4);
      case "fi_addr_opx" -> parser.words(AddressFormat.OPX, 1);
      case "fi_addr_efa" -> parser.efa();
      case "fi_addr_ib_ud" -> parser.infiniBandDatagram();
      // Names of libfabric's shared memory, which have no other form.
      case "fi_shm", "fi_ns" -> new TextAddress(text);
      case AddressTextPrinter.TEXT -> new TextAddress(parser.rest);
      case "fi_addr_mlx", "fi_addr_ucx" ->
          throw new FabricException(
              Errno.ENOSYS,
              "address text " + shown(text) + ": " + prefix + " addresses cannot be read as text");
      default ->
          throw malformed(
              text, "begins with " + shown(prefix) + ", which is no format with text; " + EXAMPLES);
    };
  }

  /** What people write: node and port, no more and no less. */
  private static FabricAddress withoutFormat(String text) {
    boolean brackets = text.startsWith("[");
    int colon = text.lastIndexOf(':');
    int node = brackets ? text.indexOf(']') + 1 : text.indexOf(':');
    if (colon < 1 || colon != node || text.contains("/") || text.contains("?")) {
      throw malformed(text, "has neither an address format nor node and port; " + EXAMPLES);
    }
    AddressTextParser parser = new AddressTextParser(text, text);
    return brackets ? parser.ipv6() : parser.ipv4();
  }

  private FabricAddress ipv4() {
    String address = beforeTail(rest, "/?");
    int colon = address.indexOf(':');
    String node = colon < 0 ? address : address.substring(0, colon);
    boolean any = node.isEmpty() && colon >= 0;
    long number = any ? 0 : Ipv4Text.parse(node);
    if (number < 0) {
      throw malformed(
          "has node "
              + shown(node)
              + ", which is no IPv4 address: four numbers from 0 to 255 with dots; names are not"
              + " resolved here, IPv6 needs brackets and fi_sockaddr_in6");
    }
    return new SocketAddress4((int) number, colon < 0 ? 0 : port(address.substring(colon + 1)));
  }

  private FabricAddress ipv6() {
    if (rest.startsWith(":")) {
      return ipv6(0, 0, port(beforeTail(rest, "/?").substring(1)));
    }
    String after = afterBrackets();
    String service = beforeTail(after, "/?");
    if (!service.isEmpty() && service.charAt(0) != ':') {
      throw malformed("continues with " + shown(service) + " after the brackets, not with a port");
    }
    int port = service.isEmpty() ? 0 : port(service.substring(1));
    long[] halves = bracketed();
    return ipv6(halves[0], halves[1], port);
  }

  private SocketAddress6 ipv6(long high, long low, int port) {
    return new SocketAddress6(high, low, port, number32("flow"), number32("scope"));
  }

  /** The value of a key as an unsigned number of 32 bits, 0 without the key. */
  private int number32(String key) {
    String value = value(key);
    return value == null ? 0 : (int) decimal(value, 0xFFFF_FFFFL, key);
  }

  /** The value of a key behind the question mark, or null. */
  private @Nullable String value(String key) {
    int tail = rest.indexOf('?');
    if (tail >= 0) {
      for (String field : rest.substring(tail + 1).split("&", -1)) {
        if (field.startsWith(key + "=")) {
          return field.substring(key.length() + 1);
        }
      }
    }
    return null;
  }

  /** The provider's address whose packed form is in the text, or null if the text has none. */
  private @Nullable FabricAddress wholeBytes(String prefix) {
    AddressFormat format = AddressTextPrinter.providerFormat(prefix);
    String digits = format == null ? null : value("bytes");
    if (format == null || digits == null) {
      return null;
    }
    byte[] bytes;
    try {
      bytes = HexFormat.of().parseHex(digits);
    } catch (IllegalArgumentException wrong) {
      throw malformed("has bytes " + shown(digits) + ", which are no pairs of hexadecimal digits");
    }
    ProviderAddress address = new ProviderAddress(format, bytes);
    if (!address.toText().equalsIgnoreCase(beforeTail(text, "?"))) {
      throw malformed("has bytes of another address, " + shown(address.toText()));
    }
    return address;
  }

  private FabricAddress infiniBand() {
    long[] gid = bracketed();
    String[] fields = fields(afterBrackets());
    if (fields.length < 3 || fields.length > 4) {
      throw malformed("needs [gid]:pkey:port space:scope or [gid]:pkey:port space:scope:port");
    }
    long partition = anyBase(fields[0], 4, "partition key");
    long space = anyBase(fields[1], 4, "port space");
    long scope = anyBase(fields[2], 16, "scope");
    long port = fields.length == 4 ? port(fields[3]) : 0;
    MemorySegment packed = MemorySegment.ofArray(new byte[PackedAddress.SIZE_IB]);
    packed.set(U16, 0, (short) PackedAddress.FAMILY_IB);
    packed.set(U16_BE, 2, (short) partition);
    packed.set(U64_BE, 8, gid[0]);
    packed.set(U64_BE, 16, gid[1]);
    // As libfabric: without a port the text names no service.
    if (space != 0 && port != 0) {
      packed.set(U64_BE, 24, space << 16 | port);
      packed.set(U64_BE, 32, -1L);
    }
    packed.set(U64_BE, 40, scope);
    return provider(AddressFormat.SOCKADDR_IB, packed);
  }

  private FabricAddress words(AddressFormat format, int count) {
    String[] fields = fields(":" + rest);
    if (fields.length != count) {
      throw malformed("needs " + count + " hexadecimal numbers with colons between them");
    }
    MemorySegment packed = MemorySegment.ofArray(new byte[8 * count]);
    for (int i = 0; i < count; i++) {
      packed.set(U64, 8L * i, hexadecimal(fields[i], 16, "number"));
    }
    return provider(format, packed);
  }

  private FabricAddress efa() {
    long[] gid = bracketed();
    String[] fields = fields(afterBrackets());
    if (fields.length > 2) {
      throw malformed("has more than [gid]:queue pair:queue key");
    }
    MemorySegment packed = MemorySegment.ofArray(new byte[PackedAddress.SIZE_EFA_TEXT]);
    packed.set(U64_BE, 0, gid[0]);
    packed.set(U64_BE, 8, gid[1]);
    if (fields.length > 0) {
      packed.set(U16, 16, (short) decimal(fields[0], 0xFFFF, "queue pair"));
    }
    if (fields.length > 1) {
      packed.set(U32, 20, (int) decimal(fields[1], 0xFFFF_FFFFL, "queue key"));
    }
    return provider(AddressFormat.EFA, packed);
  }

  /** libfabric cannot read the form that it writes; this reads it. */
  private FabricAddress infiniBandDatagram() {
    String[] fields = beforeTail(rest, "?").split("/", -1);
    int colon = fields[0].lastIndexOf(':');
    if (fields.length != 4 || colon < 0) {
      throw malformed("needs gid:queue pair/lid/pkey/service level");
    }
    long[] gid = gid(fields[0].substring(0, colon));
    MemorySegment packed = MemorySegment.ofArray(new byte[PackedAddress.SIZE_IB_UD]);
    packed.set(U64_BE, 0, gid[0]);
    packed.set(U64_BE, 8, gid[1]);
    packed.set(U32, 16, (int) hexadecimal(fields[0].substring(colon + 1), 8, "queue pair"));
    packed.set(U16, 20, (short) hexadecimal(fields[1], 4, "lid"));
    packed.set(U16, 22, (short) hexadecimal(fields[2], 4, "partition key"));
    packed.set(ValueLayout.JAVA_BYTE, 26, (byte) hexadecimal(fields[3], 2, "service level"));
    return provider(AddressFormat.IB_UD, packed);
  }

  private static FabricAddress provider(AddressFormat format, MemorySegment packed) {
    return new ProviderAddress(format, packed.toArray(ValueLayout.JAVA_BYTE));
  }

  private long[] bracketed() {
    return gid(rest.substring(1, closingBracket()));
  }

  private String afterBrackets() {
    return rest.substring(closingBracket() + 1);
  }

  private int closingBracket() {
    int end = rest.startsWith("[") ? rest.indexOf(']') : -1;
    if (end < 0) {
      throw malformed("needs its address in brackets, like [fe80::1]");
    }
    return end;
  }

  private long[] gid(String address) {
    long @Nullable [] halves = Ipv6Text.parse(address);
    if (halves == null) {
      throw malformed(
          address.indexOf('%') < 0
              ? "has " + shown(address) + ", which is no IPv6 address"
              : "has a scope after %, which address text cannot carry: give the scope id behind the"
                  + " port, as in fi_sockaddr_in6://[fe80::1]:5000?scope=2");
    }
    return halves;
  }

  /** The fields that follow, each after a colon. */
  private String[] fields(String following) {
    String found = beforeTail(following, "/?");
    if (found.isEmpty()) {
      return new String[0];
    }
    if (found.charAt(0) != ':') {
      throw malformed("has " + shown(found) + " where a colon and a number belong");
    }
    return found.substring(1).split(":", -1);
  }

  private int port(String field) {
    return (int) decimal(field, MAX_PORT, "port");
  }

  private long decimal(String field, long max, String name) {
    long value = Digits.decimal(field, max);
    if (value < 0) {
      throw malformed(
          "has " + name + " " + shown(field) + ", which is no decimal number from 0 to " + max);
    }
    return value;
  }

  private long hexadecimal(String field, int maxDigits, String name) {
    if (!Digits.isHexadecimal(field, maxDigits)) {
      throw malformed(
          "has "
              + name
              + " "
              + shown(field)
              + ", which is no hexadecimal number of at most "
              + maxDigits
              + " digits");
    }
    return Digits.hexadecimal(field);
  }

  /** A number of C: hexadecimal after {@code 0x}, else decimal. */
  private long anyBase(String field, int maxDigits, String name) {
    if (field.startsWith("0x") || field.startsWith("0X")) {
      return hexadecimal(field.substring(2), maxDigits, name);
    }
    return decimal(field, maxDigits == 16 ? Long.MAX_VALUE : (1L << (4 * maxDigits)) - 1, name);
  }

  /** The part before the first of the delimiters. */
  private static String beforeTail(String part, String delimiters) {
    for (int i = 0; i < part.length(); i++) {
      if (delimiters.indexOf(part.charAt(i)) >= 0) {
        return part.substring(0, i);
      }
    }
    return part;
  }

  /** Letters of ASCII alone; others have lower case forms that would pass for them. */
  private static String lowerCase(String prefix) {
    StringBuilder lower = new StringBuilder(prefix.length());
    for (int i = 0; i < prefix.length(); i++) {
      char character = prefix.charAt(i);
      lower.append(character >= 'A' && character <= 'Z' ? (char) (character | 0x20) : character);
    }
    return lower.toString();
  }

  private FabricException malformed(String problem) {
    return malformed(text, problem);
  }

  private static FabricException malformed(String text, String problem) {
    return new FabricException(Errno.EINVAL, "address text " + shown(text) + " " + problem);
  }

  /** In quotes, and short enough for one line. */
  private static String shown(String part) {
    return part.length() > SHOWN ? '"' + part.substring(0, SHOWN) + "...\"" : '"' + part + '"';
  }
}
