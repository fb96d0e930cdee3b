// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Misuse;

/** Says in words why an address cannot be inserted; each rule has words of its own (D-21). */
record Refusals(AddressCodec codec) {
  private AddressFormat format() {
    return codec.format();
  }

  String of(MemorySegment packed, long offset) {
    if (codec.read(packed, offset, new AddressKey()) == 0) {
      return "";
    }
    MemorySegment address = packed.asSlice(Math.min(offset, packed.byteSize()));
    long blank = blankBytes(address);
    if (blank > 0) {
      return ("all %s bytes of the address are zero, as if it was never filled in: take the name of"
              + " an endpoint once it is open")
          .formatted(blank);
    }
    int size = codec.sizeAt(address, 0);
    if (size > address.byteSize()) {
      return format() + " address of " + address.byteSize() + " bytes, but it takes " + size;
    }
    FabricAddress value;
    try {
      value = FabricAddress.of(format(), address);
    } catch (FabricException e) {
      return Misuse.reason(e);
    }
    return of(value);
  }

  /** Length of the first address, or of what there is of it, if that is all zeros; else 0. */
  private long blankBytes(MemorySegment address) {
    int size = codec.sizeAt(address, 0);
    // Without a family there is no length; the shortest socket address stands in.
    long end = Math.min(size < 0 ? PackedWords.SIZE_IPV4 : size, address.byteSize());
    return format() == AddressFormat.STR || !isZero(address.asSlice(0, end)) ? 0 : end;
  }

  private static boolean isZero(MemorySegment bytes) {
    byte[] zeros = new byte[(int) bytes.byteSize()];
    return bytes.mismatch(MemorySegment.ofArray(zeros)) == -1;
  }

  String of(FabricAddress value) {
    if (codec.read(value, new AddressKey()) == 0) {
      return "";
    }
    if (!format().contains(value.format())) {
      return "%s is a %s address, but the vector takes %s%s"
          .formatted(value.toText(), value.format(), format(), advice(value));
    }
    if (value instanceof TextAddress text) {
      return ofText(text);
    }
    return unusable(value);
  }

  private String advice(FabricAddress value) {
    if (format() == AddressFormat.STR) {
      return ": pass it as a TextAddress";
    }
    return value instanceof TextAddress text && !isOfOneFabric(text)
        ? ": pass what FabricAddress.parse makes of it"
        : "";
  }

  /** Returns whether parsing the text yields the text itself. */
  private static boolean isOfOneFabric(TextAddress text) {
    try {
      return FabricAddress.parse(text.text()) instanceof TextAddress;
    } catch (FabricException malformed) {
      return false;
    }
  }

  private String ofText(TextAddress text) {
    if (isOfOneFabric(text) && !codec.takesFabricTexts()) {
      return "address text \"" + text.text() + "\" names an endpoint of another fabric";
    }
    FabricAddress spelled = text;
    try {
      spelled = FabricAddress.parse(text.text());
    } catch (FabricException e) {
      if (!codec.takesFabricTexts()) {
        return Misuse.reason(e);
      }
    }
    if (!AddressCodec.hasFormat(text)) {
      return "address text \"%s\" has no format, which a vector of FI_ADDR_STR needs: write it like %s"
          .formatted(
              text.text(), spelled.equals(text) ? "the fabric does, format://address" : spelled);
    }
    int length = text.toBytes().length - 1; // without the zero byte
    return length > AddressKey.MAX_BYTES
        ? "address text of " + length + " bytes is longer than " + AddressKey.MAX_BYTES
        : unusable(spelled);
  }

  private static String unusable(FabricAddress value) {
    return switch (value) {
      case SocketAddress4 ip -> unusable(value, ip.address() == 0, ip.port() == 0);
      case SocketAddress6 ip ->
          unusable(value, AddressCodec.isAny(ip.high(), ip.low()), ip.port() == 0);
      case ProviderAddress provider -> unusable(provider);
      case TextAddress text -> text.text();
    };
  }

  private static String unusable(FabricAddress value, boolean any, boolean portZero) {
    if (any && portZero) {
      return value + " has the any-address and port zero, which name no peer";
    }
    return any
        ? value + " has the any-address, which names no peer: take the address of an interface"
        : value + " has port zero, which names no endpoint: take the address of an open endpoint";
  }

  private static String unusable(ProviderAddress value) {
    return switch (value.format()) {
      case SOCKADDR_IB -> {
        boolean any = isZero(MemorySegment.ofArray(value.toBytes()).asSlice(8, 16));
        yield any
            ? value + " has a GID of zeros, the any-address, which names no peer"
            : value + " has service id zero, so no port: it names no endpoint";
      }
      case EFA -> value + " has a GID of zeros, the any-address, which names no peer";
      case IB_UD -> value + " has lid zero, which names no peer";
      default ->
          "%s address of %s bytes is longer than %s"
              .formatted(value.format(), value.toBytes().length, AddressKey.MAX_BYTES);
    };
  }
}
