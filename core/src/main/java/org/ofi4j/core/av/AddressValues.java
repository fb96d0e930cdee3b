// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;

/**
 * Addresses given as values.
 *
 * @param codec the codec of the vector
 * @param addresses the addresses, never changed any more
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record AddressValues(AddressCodec codec, FabricAddress[] addresses) implements AddressSource {
  @Override
  public int count() {
    return addresses.length;
  }

  @Override
  public int read(int position, AddressKey into) {
    return codec.read(addresses[position], into);
  }

  @Override
  public int readIpv4(int from, long[] into) {
    int most = codec.takesIpv4() ? Math.min(into.length, addresses.length - from) : 0;
    int read = 0;
    while (read < most && addresses[from + read] instanceof SocketAddress4 ip) {
      long address = Integer.toUnsignedLong(ip.address()) << Short.SIZE | ip.port();
      if (!PackedIpv4.isUsable(address)) {
        break;
      }
      into[read++] = address;
    }
    return read;
  }

  @Override
  public String text(int position) {
    return addresses[position].toString();
  }

  @Override
  public String reason(int position) {
    return codec.reason(addresses[position]);
  }
}
