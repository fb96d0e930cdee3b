// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.spi.FabricPeers;

/**
 * The addresses of a call, of which the fabric takes some: each is read by itself, and asked about
 * once, when it is read first. Ranges and batches are not offered.
 */
final class AdmittedAddresses implements AddressSource {
  private final AddressCodec codec;
  private final FabricPeers peers;
  private final AddressSource addresses;

  /** One more than the last position that was asked about, as each read ascends. */
  private int asked;

  private final Map<Integer, FabricPeers.Refusal> refusals = new HashMap<>();

  AdmittedAddresses(AddressCodec codec, FabricPeers peers, AddressSource addresses) {
    this.codec = codec;
    this.peers = peers;
    this.addresses = addresses;
  }

  @Override
  public int count() {
    return addresses.count();
  }

  @Override
  public void prepare() throws InterruptedException {
    addresses.prepare();
  }

  @Override
  public int read(int position, AddressKey into) {
    int errno = addresses.read(position, into);
    if (errno != 0) {
      return errno;
    }
    if (position >= asked) {
      refusals.computeIfAbsent(position, _ -> peers.admit(packed(into)));
      asked = position + 1;
    }
    FabricPeers.Refusal refusal = refusals.get(position);
    return refusal == null ? 0 : refusal.errno().number();
  }

  private MemorySegment packed(AddressKey key) {
    MemorySegment address = MemorySegment.ofArray(new byte[codec.write(key, MemorySegment.NULL)]);
    codec.write(key, address);
    return address;
  }

  @Override
  public String text(int position) {
    return addresses.text(position);
  }

  @Override
  public String reason(int position) {
    String reason = addresses.reason(position);
    FabricPeers.Refusal refusal = refusals.get(position);
    return reason.isEmpty() && refusal != null ? refusal.reason() : reason;
  }
}
