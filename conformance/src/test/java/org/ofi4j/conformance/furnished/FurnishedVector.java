// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.Profile;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.conformance.standin.ForwardingAddressVector;
import org.ofi4j.conformance.standin.StandIns;

/**
 * A vector that holds {@link Furniture} before anybody else inserts. The lowest indices are free
 * again by then, so that a test finds the indices and the counts that it would find in an empty
 * vector. A test that needs more indices than those has the furniture moved out first.
 *
 * <p>An asynchronous vector is furnished when it is bound to its queue, for it takes nothing
 * before. Where indices are used once only there is no furniture: nothing could be free again.
 */
final class FurnishedVector extends ForwardingAddressVector implements Furniture.Filling {
  /** How many of the lowest indices are free. */
  private static final int FREE = 256;

  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);
  private static final Object FURNISHING = "furnishing";

  private final Furniture furniture;

  /** The entries of the furniture and how many removals each takes. */
  private final Map<Long, Integer> shares = new LinkedHashMap<>();

  private EventQueue queue;
  private int total;
  private long mostEntries;

  FurnishedVector(AddressVector real, StandIns standIns, Furniture furniture) {
    super(real, standIns);
    this.furniture = furniture;
    if (!isAsynchronous()) {
      furnish();
    }
  }

  @SuppressWarnings("deprecation") // deprecated and to work all the same (AV-008)
  private boolean isAsynchronous() {
    return (options().flags() & VectorFlag.EVENT.mask()) != 0;
  }

  /** Whether there was ever anything in it. */
  boolean wasFurnished() {
    return total > 0;
  }

  private void furnish() {
    if (real().domain().info().profile() == Profile.CANDIDATE_1_0) {
      return;
    }
    furniture.into(this);
    total = shares.size();
    List<Long> low = new ArrayList<>();
    for (int index = 0; index < FREE; index++) {
      try {
        low.add(real().handleAt(index));
      } catch (FabricException unset) {
        // A hole already.
      }
    }
    take(low);
    if (shares.size() < FREE || real().size() != shares.size()) {
      throw new AssertionError(
          shares.size()
              + " entries of "
              + furniture
              + " are left, the vector says "
              + real().size());
    }
  }

  private void noteAll(Insertion insertion) {
    if (isAsynchronous()) {
      awaitCompletion();
    }
    for (int i = 0; i < insertion.requested(); i++) {
      int error = insertion.error(i);
      if (error == 0) {
        shares.merge(insertion.handle(i), 1, Integer::sum);
      } else if (error != Errno.EALREADY.number()) {
        throw new AssertionError("furniture refused: " + insertion.failures());
      }
    }
  }

  private void awaitCompletion() {
    while (true) {
      try {
        Event event = queue.read(WITHOUT_END);
        if (event == null || event.context() != FURNISHING) {
          throw new AssertionError("furnishing brought the event " + event);
        }
        if (event instanceof Event.InsertionComplete) {
          return;
        }
      } catch (FabricException pending) {
        queue.readError();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", interrupted);
      }
    }
  }

  /** Removes entries of the furniture, each as often as it was inserted. */
  private void take(List<Long> handles) {
    long[] all = new long[handles.size()];
    int count = 0;
    for (long handle : handles) {
      for (int times = shares.remove(handle); times > 0; times--) {
        if (count == all.length) {
          all = Arrays.copyOf(all, 2 * count);
        }
        all[count++] = handle;
      }
    }
    real().remove(Arrays.copyOf(all, count));
  }

  /** Moves the furniture out if more comes in than there is room for. */
  private synchronized void room(long count) {
    if (!shares.isEmpty() && size() + count > FREE) {
      take(List.copyOf(shares.keySet()));
    }
  }

  private void noteMost() {
    mostEntries = Math.max(mostEntries, size());
  }

  @Override
  public void range(String node, int nodes, int port, int services) {
    noteAll(
        real()
            .insertSymmetric(
                node,
                nodes,
                String.valueOf(port),
                services,
                InsertOptions.none().withContext(FURNISHING)));
  }

  @Override
  public void list(List<? extends FabricAddress> addresses) {
    noteAll(real().insert(addresses, InsertOptions.none().withContext(FURNISHING)));
  }

  @Override
  public void remove(int oneIn) {
    List<Long> some = new ArrayList<>();
    int position = 0;
    for (long handle : shares.keySet()) {
      if (position++ % oneIn == 0) {
        some.add(handle);
      }
    }
    take(some);
  }

  @Override
  @SuppressWarnings("deprecation") // as above
  public void bind(EventQueue standIn, long flags) {
    super.bind(standIn, flags);
    queue = StandIns.real(standIn);
    if (isAsynchronous() && shares.isEmpty() && queue.peek() == null && real().size() == 0) {
      furnish();
    }
  }

  @Override
  public long size() {
    return real().size() - shares.size();
  }

  @Override
  public AddressVectorSet openSet(VectorSetOptions options) {
    AddressVectorSet set = super.openSet(options);
    shares.keySet().stream().filter(set::contains).forEach(set::remove);
    return set;
  }

  @Override
  public VectorStatistics statistics() {
    VectorStatistics real = real().statistics();
    return wasFurnished()
        ? real.toBuilder().entries(size()).highWaterMark(mostEntries).build()
        : real;
  }

  @Override
  public long insert(FabricAddress address) {
    room(1);
    long handle = super.insert(address);
    noteMost();
    return handle;
  }

  @Override
  public Insertion insert(List<? extends FabricAddress> addresses, InsertOptions options) {
    room(addresses == null ? 0 : addresses.size());
    Insertion insertion = super.insert(addresses, options);
    noteMost();
    return insertion;
  }

  @Override
  public int insert(
      MemorySegment addresses,
      int count,
      MemorySegment handles,
      MemorySegment errors,
      long flags,
      Object context) {
    room(count);
    int result = super.insert(addresses, count, handles, errors, flags, context);
    noteMost();
    return result;
  }

  @Override
  public Insertion insertSymmetric(
      String node, int nodeCount, String service, int serviceCount, InsertOptions options) {
    room((long) nodeCount * serviceCount);
    Insertion insertion = super.insertSymmetric(node, nodeCount, service, serviceCount, options);
    noteMost();
    return insertion;
  }

  @Override
  public int insertSymmetric(
      String node,
      int nodeCount,
      String service,
      int serviceCount,
      MemorySegment handles,
      MemorySegment errors,
      long flags,
      Object context) {
    room((long) nodeCount * serviceCount);
    int result =
        super.insertSymmetric(
            node, nodeCount, service, serviceCount, handles, errors, flags, context);
    noteMost();
    return result;
  }
}
