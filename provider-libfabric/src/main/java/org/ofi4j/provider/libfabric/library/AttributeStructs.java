// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.ofi4j.provider.libfabric.library.StructMembers.offset;
import static org.ofi4j.provider.libfabric.library.StructMembers.struct;
import static org.ofi4j.provider.libfabric.library.StructMembers.u32;
import static org.ofi4j.provider.libfabric.library.StructMembers.u64;

import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * What objects are opened with: where each member is. Later versions have longer ones; so each is
 * given to C with {@value #ROOM} zeroed bytes of its own.
 */
public final class AttributeStructs {
  /** Bytes that a struct is given, more than any has. */
  public static final long ROOM = 256;

  /** All of them, for who compares them with the headers. */
  static final List<StructLayout> ALL =
      List.of(
          AddressVector.LAYOUT,
          CompletionQueue.LAYOUT,
          EventQueue.LAYOUT,
          MemoryRegion.LAYOUT,
          MemoryPiece.LAYOUT,
          PollDescriptor.LAYOUT);

  private AttributeStructs() {}

  /** {@code struct fi_av_attr}, fi_av(3). */
  public static final class AddressVector {
    static final StructLayout LAYOUT =
        struct(
            "fi_av_attr",
            u32("type"),
            u32("rx_ctx_bits"),
            u64("count"),
            u64("ep_per_node"),
            u64("name"),
            u64("map_addr"),
            u64("flags"));

    public static final long TYPE = offset(LAYOUT, "type");
    public static final long COUNT = offset(LAYOUT, "count");

    private AddressVector() {}
  }

  /** {@code struct fi_cq_attr}, fi_cq(3). */
  public static final class CompletionQueue {
    static final StructLayout LAYOUT =
        struct(
            "fi_cq_attr",
            u64("size"),
            u64("flags"),
            u32("format"),
            u32("wait_obj"),
            u32("signaling_vector"),
            u32("wait_cond"),
            u64("wait_set"));

    public static final long SIZE = offset(LAYOUT, "size");
    public static final long FORMAT = offset(LAYOUT, "format");
    public static final long WAIT_OBJ = offset(LAYOUT, "wait_obj");

    private CompletionQueue() {}
  }

  /** {@code struct fi_eq_attr}, fi_eq(3). */
  public static final class EventQueue {
    static final StructLayout LAYOUT =
        struct(
            "fi_eq_attr",
            u64("size"),
            u64("flags"),
            u32("wait_obj"),
            u32("signaling_vector"),
            u64("wait_set"));

    public static final long WAIT_OBJ = offset(LAYOUT, "wait_obj");

    private EventQueue() {}
  }

  /** {@code struct fi_mr_attr}, fi_mr(3). */
  public static final class MemoryRegion {
    static final StructLayout LAYOUT =
        struct(
            "fi_mr_attr",
            u64("mr_iov"),
            u64("iov_count"),
            u64("access"),
            u64("offset"),
            u64("requested_key"),
            u64("context"),
            u64("auth_key_size"),
            u64("auth_key"));

    public static final long MR_IOV = offset(LAYOUT, "mr_iov");
    public static final long IOV_COUNT = offset(LAYOUT, "iov_count");
    public static final long ACCESS = offset(LAYOUT, "access");
    public static final long OFFSET = offset(LAYOUT, "offset");
    public static final long REQUESTED_KEY = offset(LAYOUT, "requested_key");
    public static final long CONTEXT = offset(LAYOUT, "context");

    private MemoryRegion() {}
  }

  /** {@code struct iovec}. */
  public static final class MemoryPiece {
    static final StructLayout LAYOUT = struct("iovec", u64("iov_base"), u64("iov_len"));

    public static final long IOV_BASE = offset(LAYOUT, "iov_base");
    public static final long IOV_LEN = offset(LAYOUT, "iov_len");

    private MemoryPiece() {}
  }

  /** {@code struct pollfd}, whose events are two shorts. */
  public static final class PollDescriptor {
    static final StructLayout LAYOUT = struct("pollfd", u32("fd"));

    public static final long FD = offset(LAYOUT, "fd");

    private PollDescriptor() {}
  }
}
