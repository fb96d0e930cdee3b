// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/** Offsets in entries of event queues, fi_eq(3). */
final class EventStructs {
  private EventStructs() {}

  /** {@code struct fi_eq_cm_entry}, with the data of the peer behind it. */
  static final class ConnectionEntry {
    static final long FID = 0;
    static final long INFO = 8;
    static final long DATA = 16;

    private ConnectionEntry() {}
  }

  /** {@code struct fi_eq_err_entry}. */
  static final class ErrorEntry {
    static final long FID = 0;
    static final long ERR = 24;
    static final long PROV_ERRNO = 28;
    static final long ERR_DATA = 32;
    static final long ERR_DATA_SIZE = 40;

    private ErrorEntry() {}
  }
}
