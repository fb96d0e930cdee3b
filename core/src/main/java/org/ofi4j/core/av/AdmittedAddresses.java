// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.source.AddressSource;

/**
 * The addresses of a call, of which the fabric takes some: each is read by itself, and asked about
 * once, when it is read first. Ranges and batches are not offered.
 */
final class AdmittedAddresses implements AddressSource {
  /**
   * What makes them.
   *
   * @param all whether the fabric takes all addresses; then there is nothing to make
   */
  record Admission(AddressCodec codec, FabricPeers peers, boolean all) {
    /** The addresses of a call as the fabric takes them. */
    AddressSource of(AddressSource addresses) {
      return all ? addresses : new AdmittedAddresses(this, addresses);
    }
  }

  private final Admission admission;
  private final AddressSource addresses;
  private final BitSet asked = new BitSet();
  private final Map<Integer, FabricPeers.Refusal> refusals = new HashMap<>();
  private byte[] packed = {};

  private AdmittedAddresses(Admission admission, AddressSource addresses) {
    this.admission = admission;
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
    if (!asked.get(position)) {
      FabricPeers.Refusal refusal = admission.peers.admit(packed(into));
      if (refusal != null) {
        refusals.put(position, refusal);
      }
      asked.set(position);
    }
    FabricPeers.Refusal refusal = refusals.get(position);
    return refusal == null ? 0 : refusal.errno().number();
  }

  private MemorySegment packed(AddressKey key) {
    int length = admission.codec.write(key, MemorySegment.NULL);
    if (packed.length < length) {
      packed = new byte[length];
    }
    MemorySegment address = MemorySegment.ofArray(packed).asSlice(0, length);
    admission.codec.write(key, address);
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
