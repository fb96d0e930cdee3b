// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferMemory;
import org.ofi4j.WriteRequest;

/** Accesses that the owner of memory has not allowed. */
final class RegionProgram {
  private static final int LENGTH = 4_096;
  private static final byte UNTOUCHED = '.';
  private static final byte WRITTEN = 'X';

  /** Providers over which a write that is to be delivered fails if it is refused. */
  private static final Set<String> ANSWERING = Set.of("net", "tcp;ofi_rxm", "libfabric:tcp");

  private final String provider;

  private RegionProgram(String provider) {
    this.provider = provider;
  }

  /** The providers to try. */
  public static void main(String[] providers) {
    Scenarios scenarios = new Scenarios();
    for (String provider : providers) {
      RegionProgram program = new RegionProgram(provider);
      if (provider.equals("shm")) {
        scenarios.add("shm: no remote access unless it is accepted", program::accepted);
        scenarios.add("shm: a changed copy of an offer is no acceptance", program::changed);
      }
      scenarios
          .add(provider + ": a wrong key", () -> program.refused(true, place -> key(place, 1)))
          .add(provider + ": behind the end", () -> program.refused(true, RegionProgram::behind))
          .add(
              provider + ": a region to be read only", () -> program.refused(false, place -> place))
          .add(provider + ": a region that is closed", program::closed)
          .add(provider + ": the right key", program::allowed);
    }
    scenarios.runAndExit();
  }

  private interface Change {
    RemotePlace of(RemotePlace place);
  }

  private static RemotePlace key(RemotePlace place, long more) {
    return new RemotePlace(place.address(), 64, place.key() + more);
  }

  private static RemotePlace behind(RemotePlace place) {
    return new RemotePlace(place.address() + LENGTH, 64, place.key());
  }

  private Hints hints() {
    return Rig.hints(provider)
        .withCapabilities(Capability.MSG, Capability.RMA)
        .withMemoryRegionModes(MemoryRegionMode.UNPROTECTED);
  }

  private void accepted() {
    for (String name : new String[] {"shm", "libfabric:shm"}) {
      for (Capability[] asked :
          new Capability[][] {
            {Capability.MSG, Capability.RMA}, {Capability.MSG, Capability.RMA, Capability.READ}
          }) {
        long caps = Flag.maskOf(asked);
        Hints hints = Hints.reliable().withProvider(name).withCapabilities(asked);
        InfoAnswer answer = Fabrics.info(hints);
        assertThat(answer.offers()).isEmpty();
        assertThat(answer.refusals())
            .anySatisfy(refusal -> {
              assertThat(refusal.provider()).isEqualTo(name);
              assertThat(refusal.reason()).contains("RMA", "UNPROTECTED");
            });
        Hints accepting = hints.withMemoryRegionModes(MemoryRegionMode.UNPROTECTED);
        assertThat(Fabrics.info(accepting).offers())
            .isNotEmpty()
            .allSatisfy(offer -> {
              assertThat(offer.capabilities() & caps).isEqualTo(caps);
              assertThat(offer.domain().memoryRegionModes())
                  .isEqualTo(MemoryRegionMode.UNPROTECTED.mask());
            });
      }
    }
    assertThat(Fabrics.info(Hints.reliable()).offers())
        .filteredOn(offer -> offer.fabric().provider().equals("shm"))
        .isNotEmpty()
        .noneMatch(offer -> offer.has(Capability.RMA) || offer.has(Capability.REMOTE_WRITE));
  }

  private void changed() {
    FabricInfo offer = Fabrics.info(Hints.reliable().withProvider("shm")).best();
    FabricInfo more = offer.withCapabilities(offer.capabilities() | Capability.RMA.mask());
    try (Fabric fabric = Fabrics.open(more)) {
      assertThatThrownBy(() -> fabric.openDomain(more, null))
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("UNPROTECTED")
          .extracting(thrown -> ((FabricException) thrown).errno())
          .isEqualTo(Errno.ENOSYS);
    }
  }

  /** A peer that writes, and a message that the owner receives after the owner has judged it. */
  private final class Pair implements AutoCloseable {
    private final Rig writing = new Rig(hints());
    private final Rig owning = new Rig(hints());
    private final ReliableEndpoint writer = writing.endpoint();
    private final ReliableEndpoint owner = owning.endpoint();
    private final long to = writing.insert(owner);
    private final MemorySegment around = Arena.global().allocate(4 * LENGTH, LENGTH);
    private final TransferMemory own = writing.domain.allocate(LENGTH);

    Pair() {
      owning.insert(writer);
      around.fill(UNTOUCHED);
      own.segment().fill(WRITTEN);
    }

    MemoryRegion register(boolean writable) {
      MemorySegment memory = around.asSlice(LENGTH, LENGTH);
      return writable
          ? owning.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)
          : owning.domain.register(memory, Access.REMOTE_READ);
    }

    /**
     * Writes to a place. It returns when the owner has taken the write or has refused it.
     *
     * @param fails whether the owner refuses it
     */
    void write(RemotePlace place, boolean fails) throws Exception {
      MemorySegment into = Arena.global().allocate(8);
      owner.receive(into, "after");
      MemorySegment memory = own.segment().asSlice(0, 64);
      WriteRequest request =
          new WriteRequest().memory(memory).destination(to).place(place).context("written");
      if (ANSWERING.contains(provider)) {
        request.completes(CompletionLevel.DELIVERED);
        writer.write(request);
        Completion ended = await("written");
        assertThat(ended instanceof Completion.Failure).as("%s", ended).isEqualTo(fails);
      } else {
        writer.write(request);
      }
      // Over UDP all that one socket gets is in the order in which it was sent, from all senders;
      // the same sender would send the refused write again before anything else.
      ReliableEndpoint next = provider.equals("udp;ofi_rxd") ? writing.endpoint() : writer;
      next.send(own.segment().asSlice(0, 8), to, "sent");
      await("after");
    }

    private Completion await(String context) throws InterruptedException {
      while (true) {
        for (Rig each : List.of(owning, writing)) {
          Completion found = each.next(Duration.ofMillis(1));
          if (found != null && context.equals(found.context())) {
            return found;
          }
        }
      }
    }

    long touched() {
      long touched = 0;
      for (long i = 0; i < around.byteSize(); i++) {
        touched += around.get(ValueLayout.JAVA_BYTE, i) == UNTOUCHED ? 0 : 1;
      }
      return touched;
    }

    @Override
    public void close() {
      own.close();
      writing.close();
      owning.close();
    }
  }

  private void refused(boolean writable, Change change) throws Exception {
    try (Pair pair = new Pair();
        MemoryRegion region = pair.register(writable)) {
      pair.write(change.of(region.place()), true);
      assertThat(pair.touched()).isZero();
    }
  }

  private void closed() throws Exception {
    try (Pair pair = new Pair()) {
      MemoryRegion region = pair.register(true);
      RemotePlace place = region.place();
      region.close();
      pair.write(new RemotePlace(place.address(), 64, place.key()), true);
      assertThat(pair.touched()).isZero();
    }
  }

  private void allowed() throws Exception {
    try (Pair pair = new Pair();
        MemoryRegion region = pair.register(true)) {
      pair.write(region.place(), false);
      assertThat(pair.touched()).isEqualTo(64);
      assertThat(region.memory().get(ValueLayout.JAVA_BYTE, 63)).isEqualTo(WRITTEN);
    }
  }
}
