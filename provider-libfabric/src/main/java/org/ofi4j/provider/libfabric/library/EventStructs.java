// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.ofi4j.provider.libfabric.library.StructMembers.offset;
import static org.ofi4j.provider.libfabric.library.StructMembers.struct;
import static org.ofi4j.provider.libfabric.library.StructMembers.u32;
import static org.ofi4j.provider.libfabric.library.StructMembers.u64;

import java.lang.foreign.StructLayout;
import java.util.List;

/** What is read from event queues, fi_eq(3): where each member is. */
final class EventStructs {
  /** All of them, for who compares them with the headers. */
  static final List<StructLayout> ALL = List.of(ConnectionEntry.LAYOUT, ErrorEntry.LAYOUT);

  private EventStructs() {}

  /** {@code struct fi_eq_cm_entry}, with the data of the peer behind it. */
  static final class ConnectionEntry {
    static final StructLayout LAYOUT = struct("fi_eq_cm_entry", u64("fid"), u64("info"));

    static final long FID = offset(LAYOUT, "fid");
    static final long INFO = offset(LAYOUT, "info");
    static final long DATA = LAYOUT.byteSize();

    private ConnectionEntry() {}
  }

  /** {@code struct fi_eq_err_entry}. */
  static final class ErrorEntry {
    static final StructLayout LAYOUT =
        struct(
            "fi_eq_err_entry",
            u64("fid"),
            u64("context"),
            u64("data"),
            u32("err"),
            u32("prov_errno"),
            u64("err_data"),
            u64("err_data_size"));

    static final long FID = offset(LAYOUT, "fid");
    static final long ERR = offset(LAYOUT, "err");
    static final long PROV_ERRNO = offset(LAYOUT, "prov_errno");
    static final long ERR_DATA = offset(LAYOUT, "err_data");
    static final long ERR_DATA_SIZE = offset(LAYOUT, "err_data_size");

    private ErrorEntry() {}
  }
}
