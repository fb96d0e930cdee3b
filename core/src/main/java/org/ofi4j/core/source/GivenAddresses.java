// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;

/**
 * Addresses given as values.
 *
 * @param addresses the addresses, never changed any more; null for any address, where that is
 *     something to insert
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record GivenAddresses(AddressCodec codec, @Nullable FabricAddress[] addresses)
    implements AddressSource {
  @Override
  public int count() {
    return addresses.length;
  }

  @Override
  public int read(int position, AddressKey into) {
    FabricAddress address = addresses[position];
    return address == null ? any().read(0, into) : codec.read(address, into);
  }

  @Override
  public int readIpv4(int from, long[] into) {
    int most = codec.takesIpv4() ? Math.min(into.length, addresses.length - from) : 0;
    int read = 0;
    while (read < most && addresses[from + read] instanceof SocketAddress4 ip) {
      long address = PackedIpv4.of(ip);
      if (!PackedIpv4.isUsable(address)) {
        break;
      }
      into[read++] = address;
    }
    return read;
  }

  @Override
  public String text(int position) {
    FabricAddress address = addresses[position];
    return address == null ? any().text(0) : address.toString();
  }

  @Override
  public String reason(int position) {
    FabricAddress address = addresses[position];
    return address == null ? any().reason(0) : codec.reason(address);
  }

  private AnyAddresses any() {
    return new AnyAddresses(codec, 1);
  }
}
