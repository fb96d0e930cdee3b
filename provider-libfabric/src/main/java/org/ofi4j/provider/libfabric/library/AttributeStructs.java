// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/**
 * Offsets in the structs that objects are opened with. Later versions have longer ones; so each is
 * given to C with {@value #ROOM} zeroed bytes of its own.
 */
public final class AttributeStructs {
  /** Bytes that a struct is given, more than any has. */
  public static final long ROOM = 256;

  private AttributeStructs() {}

  /** {@code struct fi_av_attr}, fi_av(3). */
  public static final class AddressVector {
    public static final long TYPE = 0;

    private AddressVector() {}
  }

  /** {@code struct fi_cq_attr}, fi_cq(3). */
  public static final class CompletionQueue {
    public static final long SIZE = 0;
    public static final long FORMAT = 16;
    public static final long WAIT_OBJ = 20;

    private CompletionQueue() {}
  }

  /** {@code struct fi_eq_attr}, fi_eq(3). */
  public static final class EventQueue {
    public static final long WAIT_OBJ = 16;

    private EventQueue() {}
  }

  /** {@code struct fi_mr_attr}, fi_mr(3). */
  public static final class MemoryRegion {
    public static final long MR_IOV = 0;
    public static final long IOV_COUNT = 8;
    public static final long ACCESS = 16;
    public static final long REQUESTED_KEY = 32;

    private MemoryRegion() {}
  }

  /** {@code struct iovec}. */
  public static final class MemoryPiece {
    public static final long IOV_BASE = 0;
    public static final long IOV_LEN = 8;

    private MemoryPiece() {}
  }
}
