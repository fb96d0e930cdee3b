// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import static org.ofi4j.provider.kit.Misuse.unsupported;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * The faults that providers of libfabric have in some releases. A provider goes by the name that
 * libfabric has for it; null stands for any. A method that returns words returns those that follow
 * the name of the provider, and null if the provider does not have the fault.
 */
public final class KnownFaults {
  /** The capabilities that remote access consists of. */
  public static final long ACCESS =
      Flag.maskOf(
          Capability.RMA,
          Capability.READ,
          Capability.WRITE,
          Capability.REMOTE_READ,
          Capability.REMOTE_WRITE);

  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long REMOVING = Flag.maskOf(TransferFlag.CLAIM, TransferFlag.DISCARD);

  private static final Set<String> OVER_TCP = Set.of("net", "tcp");
  private static final Set<String> LAYERED_OVER_TCP = Set.of("net;ofi_rxm", "tcp;ofi_rxm");

  /** The providers with a fault of long messages in some release from 1.17 on. */
  private static final Set<String> LONG_MESSAGES =
      Set.of("shm", "net", "tcp", "udp", "net;ofi_rxm", "tcp;ofi_rxm", "udp;ofi_rxd");

  /** Those that keep receives in {@code util_srx}, which from 1.19 on all have. */
  private static final Set<String> SHARED_RECEIVES = Set.of("shm", "efa", "lnx");

  /** The variable that has {@code ofi_rxm} cut messages into pieces over TCP, too. */
  private static final String CUTTING = "FI_OFI_RXM_ENABLE_DYN_RBUF";

  private KnownFaults() {}

  /**
   * Returns whether reliable endpoints of a provider disturb each other on one libfabric domain, so
   * that each needs a domain of its own. Those are all releases over TCP. They keep the connections
   * of all endpoints, and tagged messages that come before their receive, in a list of the domain.
   * Connections of a closed endpoint are kept there too, and the next read of any queue of the
   * domain accesses freed memory. A tagged receive takes an early message that was sent to another
   * endpoint.
   */
  public static boolean disturbEndpoints(String provider) {
    return OVER_TCP.contains(provider) || LAYERED_OVER_TCP.contains(provider);
  }

  /**
   * Returns whether libfabric does not end a receive as it should whose message is longer. Receives
   * of such a provider have a second piece of memory, which is never read, for the bytes that do
   * not fit. So no message is longer than its receive, and the length says whether bytes were
   * dropped. The faults are listed in {@code docs/internals/native.md}.
   *
   * <p>Receives over hardware have no second piece: it would have to be registered, and was never
   * tried.
   */
  public static boolean mistakeLongMessages(String provider) {
    return LONG_MESSAGES.contains(provider);
  }

  /**
   * Returns whether a provider ends the process when an endpoint is closed which has received a
   * part of a message. Those are all layers of {@code ofi_rxm} before 2.7: of a message in pieces
   * it takes the record of the message for a receive ({@code rxm_close_conn}). Where it reads a
   * large message from its sender, {@code tcp} of 1.17 ends the read twice ({@code
   * tcpx_ep_flush_all_queues}).
   */
  public static boolean endWithPartialMessages(String provider, Libfabric library) {
    return provider.endsWith(";ofi_rxm") && library.isBefore(2, 7);
  }

  /**
   * Returns what others can do to a process over a layer that was not asked for. Such layers are
   * offered only to hints that name the layer or the provider below it.
   *
   * <p>{@code ofi_rxm} before 2.7 reads over a connection that is closed ({@code fi_readv}) when
   * the sender of a large message ends. {@code ofi_rxd} finds a peer by a number in the packet that
   * it does not check ({@code rxd_handle_op}), and {@code fi_cq_read} may not return.
   *
   * @param asked the provider that the hints name; null if they name none
   */
  public static @Nullable String ofUnsafeLayers(
      @Nullable String provider, @Nullable String asked, Libfabric library) {
    if (provider == null || asked != null) {
      return null;
    }
    if (endWithPartialMessages(provider, library)) {
      return "ends the process when a peer ends that is sending a large message";
    }
    return provider.endsWith(";ofi_rxd")
        ? "lets anyone who can send packets end the process"
        : null;
  }

  /**
   * Returns what is wrong with the sources of messages: those of {@code ofi_rxd} are never true,
   * those of {@code shm} not before 1.18, where unknown senders are the first one.
   */
  public static @Nullable String ofSources(@Nullable String provider, Libfabric library) {
    boolean wrong =
        provider != null
            && (provider.endsWith("ofi_rxd")
                || (provider.equals("shm") && library.isBefore(1, 18)));
    return wrong ? "names wrong sources" : null;
  }

  /** Returns what is wrong with receives that name their source. */
  public static @Nullable String ofDirectedReceives(@Nullable String provider, Libfabric library) {
    if (provider == null) {
      return null;
    }
    boolean early = library.isBefore(1, 19);
    boolean layered = provider.endsWith(";ofi_rxm");
    if (provider.endsWith(";ofi_rxd") || (provider.equals("shm") && early)) {
      return "takes one sender for another";
    }
    if ((SHARED_RECEIVES.contains(provider) && !early) || (layered && !library.isBefore(2, 0))) {
      return "writes to freed memory when some receives name their source and others do not";
    }
    if (layered) {
      return "loses connections, and sources of messages, where receives name their source";
    }
    return OVER_TCP.contains(provider)
        ? "does not look at the source of untagged receives, and gives tagged ones the messages of"
            + " others"
        : null;
  }

  /**
   * Returns what is wrong with a search for a message that has come, which may also drop the
   * message or put it aside.
   *
   * @param flags of the receive
   */
  public static @Nullable String ofSearches(String provider, Libfabric library, long flags) {
    if (provider.equals("shm") && library.isBefore(1, 19)) {
      return "loses the message that it looks for: receive it instead";
    }
    boolean claims = (flags & CLAIM) != 0;
    if (claims && OVER_TCP.contains(provider)) {
      return "gives a message that was put aside to another receive: take what PEEK has found with"
          + " an ordinary receive";
    }
    if (claims && provider.endsWith(";ofi_rxd")) {
      return "does not end a message that was put aside, and crashes when the endpoint is closed:"
          + " take what PEEK has found with an ordinary receive";
    }
    boolean cuts = !LAYERED_OVER_TCP.contains(provider) || System.getenv(CUTTING) != null;
    if ((flags & REMOVING) != 0
        && provider.endsWith(";ofi_rxm")
        && library.isBefore(2, 0)
        && cuts) {
      return "drops, or puts aside, the first piece of a message only: take what PEEK has found"
          + " with an ordinary receive";
    }
    return null;
  }

  /**
   * Returns what is wrong with the protection of registered memory, which {@link
   * org.ofi4j.MemoryRegion} promises. Such a provider offers remote access only to applications
   * that accept {@link MemoryRegionMode#UNPROTECTED}.
   *
   * <p>In {@code shm}, the peer that accesses memory may copy by itself (CMA), without a check of
   * key, rights and bounds; ofi4j never asks for that. Where the owner of the memory copies, it
   * checks all three; but it does not report a refusal: before 2.0 the operation of the peer never
   * ends, and from 2.0 on it succeeds.
   */
  public static @Nullable String ofProtection(@Nullable String provider) {
    return "shm".equals(provider)
        ? "does not keep peers from memory without the right key, and does not report an access"
            + " that is refused"
        : null;
  }

  /**
   * Checks that the application has accepted the protection of memory that an offer has, which may
   * be a changed copy.
   *
   * @throws org.ofi4j.FabricException with ENOSYS if it has not
   */
  public static void checkProtection(@Nullable String provider, FabricInfo info) {
    String fault = ofProtection(provider);
    boolean accepted =
        (info.domain().memoryRegionModes() & MemoryRegionMode.UNPROTECTED.mask()) != 0;
    if (fault != null && !accepted && (info.capabilities() & ACCESS) != 0) {
      throw unsupported(
          "remote access over %s, which %s: accept MemoryRegionMode.UNPROTECTED in the hints"
              .formatted(provider, fault));
    }
  }
}
