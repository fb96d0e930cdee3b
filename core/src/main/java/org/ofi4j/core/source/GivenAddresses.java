// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

/**
 * Addresses given as values.
 *
 * @param addresses the addresses, never changed any more; null stands for any address, which can be
 *     inserted in the profile of the 1.0 candidate (AV-079)
 */
public record GivenAddresses(AddressCodec codec, List<@Nullable FabricAddress> addresses)
    implements AddressSource {
  @Override
  public int count() {
    return addresses.size();
  }

  @Override
  public int read(int position, AddressKey into) {
    FabricAddress address = addresses.get(position);
    return address == null ? codec.readAny(into) : codec.read(address, into);
  }

  @Override
  public int readIpv4(int from, long[] into) {
    int most = codec.takesIpv4() ? Math.min(into.length, addresses.size() - from) : 0;
    int read = 0;
    while (read < most && addresses.get(from + read) instanceof SocketAddress4 ip) {
      long address = AddressKey.ipv4(ip);
      if (!AddressKey.isUsableIpv4(address)) {
        break;
      }
      into[read++] = address;
    }
    return read;
  }

  @Override
  public String text(int position) {
    FabricAddress address = addresses.get(position);
    return address == null ? "any address" : address.toText();
  }

  @Override
  public String reason(int position) {
    FabricAddress address = addresses.get(position);
    if (address == null) {
      boolean exists = codec.readAny(new AddressKey()) == 0;
      return exists ? "" : "format " + codec.format() + " has none";
    }
    return codec.reason(address);
  }
}
