// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

/**
 * What no address at all stands for in the 1.0 candidate: any address (AV-079).
 *
 * @param count how many such entries are asked for
 */
public record AnyAddresses(AddressCodec codec, int count) implements AddressSource {
  @Override
  public int read(int position, AddressKey into) {
    try {
      codec.readAny(into);
      return 0;
    } catch (FabricException none) {
      return none.errno().number();
    }
  }

  @Override
  public String text(int position) {
    return "any address";
  }

  @Override
  public String reason(int position) {
    return read(position, new AddressKey()) == 0 ? "" : "format " + codec.format() + " has none";
  }
}
