package org.ofi4j.core.av;

import org.ofi4j.FabricAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

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
  public String text(int position) {
    return addresses[position].toString();
  }

  @Override
  public String reason(int position) {
    return codec.reason(addresses[position]);
  }
}
