// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import org.ofi4j.core.address.AddressKey;

/** One address whose text cannot be read. */
record RefusedAddress(String text, Failure failure) implements AddressSource {
  @Override
  public int count() {
    return 1;
  }

  @Override
  public int read(int position, AddressKey into) {
    return failure.errno().number();
  }

  @Override
  public String text(int position) {
    return text;
  }

  @Override
  public String reason(int position) {
    return failure.reason();
  }
}
