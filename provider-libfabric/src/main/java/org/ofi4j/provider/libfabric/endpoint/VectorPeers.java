// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.spi.FabricPeers;

/**
 * The vectors of libfabric behind one vector of ours: one for each libfabric domain that endpoints
 * of the vector are on.
 *
 * <p>Where messages report their source, libfabric must know an address before a message comes from
 * it: then each is inserted there before it becomes an entry, and what libfabric refuses is
 * refused.
 *
 * <p>The lock of the domain guards all.
 */
final class VectorPeers implements FabricPeers {
  private final DomainResources domain;

  /** The peers on the first domain, which decides what is refused. */
  private final NativePeers first;

  private final List<NativePeers> others = new ArrayList<>();

  /** The entries of the vector; null while it is being opened. */
  volatile @Nullable Peers entries;

  /** The peers of a vector that is about to be opened. */
  VectorPeers(DomainResources domain) {
    this.domain = domain;
    first = new NativePeers(domain, domain.domains.first(), this);
  }

  /** Names the entries of the vector that was opened with this. */
  void attach(Peers opened) {
    entries = opened;
  }

  /** Returns the peers of an endpoint that is about to be opened on a libfabric domain. */
  NativePeers on(NativeDomain opened) {
    if (opened.equals(domain.domains.first())) {
      return first;
    }
    NativePeers added = new NativePeers(domain, opened, this);
    if (domain.reportsSources) {
      first.addresses().forEach(each -> admit(each, added));
    }
    others.add(added);
    return added;
  }

  /**
   * An endpoint that was opened with peers is closed: its own vector of libfabric is closed too.
   */
  void left(NativePeers peers) {
    if (others.remove(peers)) {
      peers.close();
    }
  }

  @Override
  public boolean hasTexts() {
    return true;
  }

  @Override
  public boolean admitsAll() {
    return !domain.reportsSources;
  }

  @Override
  public @Nullable Refusal admit(MemorySegment address) {
    byte[] packed = address.toArray(JAVA_BYTE);
    try (var _ = domain.lock()) {
      Refusal refusal = admit(packed, first);
      if (refusal == null) {
        others.forEach(each -> admit(packed, each));
      }
      return refusal;
    }
  }

  private static @Nullable Refusal admit(byte[] address, NativePeers into) {
    try {
      into.admit(address);
      return null;
    } catch (FabricException refused) {
      return new Refusal(refused.errno(), String.valueOf(refused.getMessage()));
    }
  }

  @Override
  public boolean followsAddresses() {
    return domain.directsReceives;
  }

  @Override
  public void addressesChanged() {
    try (var _ = domain.lock()) {
      first.endDirectedReceives();
      others.forEach(NativePeers::endDirectedReceives);
    }
  }

  /** Closes libfabric's vector; no endpoint has another one. */
  @Override
  public void close() {
    try (var _ = domain.lock()) {
      first.close();
    }
  }
}
