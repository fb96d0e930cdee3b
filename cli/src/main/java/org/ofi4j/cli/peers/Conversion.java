// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.PeerLine;

/**
 * An address in both its forms.
 *
 * @param input what was given: text, or the packed form in hexadecimal
 * @param error why it could not be converted, else null
 */
public record Conversion(
    String input,
    @Nullable AddressFormat format,
    @Nullable String bytes,
    @Nullable String text,
    @Nullable String error) {
  /**
   * Converts to the other form.
   *
   * @param input text as in a list of peers, or the packed form in hexadecimal
   * @param format the format of a packed form; unspecified goes by its family
   */
  public static Conversion of(String input, AddressFormat format) {
    try {
      FabricAddress address = isHexadecimal(input) ? unpack(input, format) : parse(input);
      return new Conversion(
          input,
          address.format(),
          HexFormat.of().formatHex(address.toBytes()),
          address.toString(),
          null);
    } catch (FabricException refused) {
      return new Conversion(input, null, null, null, Reasons.of(refused));
    } catch (IllegalArgumentException wrong) {
      return new Conversion(input, null, null, null, String.valueOf(wrong.getMessage()));
    }
  }

  /** Text always has a colon, a dot or another character that is no hexadecimal digit. */
  private static boolean isHexadecimal(String input) {
    return !input.isEmpty()
        && input.chars().allMatch(c -> Character.digit(c, 16) >= 0 || Character.isWhitespace(c));
  }

  private static FabricAddress unpack(String input, AddressFormat format) {
    String digits = input.replaceAll("\\s", "");
    if (digits.length() % 2 != 0) {
      throw new IllegalArgumentException(
          digits.length() + " hexadecimal digits are no whole number of bytes");
    }
    return FabricAddress.of(
        format == AddressFormat.UNSPECIFIED ? AddressFormat.SOCKADDR : format,
        HexFormat.of().parseHex(digits));
  }

  private static FabricAddress parse(String input) {
    return switch (PeerLine.parse(input, null)) {
      case PeerLine.Single(long _, String _, FabricAddress address) -> address;
      case PeerLine.Malformed malformed -> throw new IllegalArgumentException(malformed.reason());
      case PeerLine.Named(long _, String _, String node, String service)
          when service.matches("[0-9]{1,5}") ->
          zoned(node, Integer.parseInt(service));
      case null, default -> throw notNumeric();
    };
  }

  /** Converts a node that is numeric but for its zone. */
  private static FabricAddress zoned(String node, int port) {
    NumericHost host = NumericHost.parse(node);
    if (host == null) {
      throw notNumeric();
    }
    try {
      return FabricAddress.of(new InetSocketAddress(host.required(), port));
    } catch (UnknownHostException missing) {
      throw new IllegalArgumentException(missing.getMessage(), missing);
    }
  }

  private static IllegalArgumentException notNumeric() {
    return new IllegalArgumentException(
        "is not one numeric address with a port, such as 10.1.1.7:5000");
  }
}
