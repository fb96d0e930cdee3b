// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.MemoryUse;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;

/** This library, through its public interface. For one thread. */
public final class Ofi4jSubject implements Subject {
  private final Arena room = Arena.ofConfined();
  private final MemorySegment buffer = room.allocate(64, 64);
  private @Nullable Arena arena;
  private @Nullable VectorFactory factory;
  private @Nullable Family family;
  private @Nullable Loaded loaded;
  private @Nullable AddressVector vector;
  private boolean exchanged;
  private boolean isInOrder;

  /** The addresses in random order, once somebody searched for them. */
  private @Nullable AddressList sources;

  private final Side side;
  private final TimeSource time;
  private final @Nullable String name;

  /** The workload, and what it takes to work on it. */
  private record Loaded(
      Workload workload, MemorySegment handles, MemorySegment ordered, long[] inOrder) {}

  /** One whose vectors have that name, or none. */
  public Ofi4jSubject(Side side, TimeSource time, @Nullable String name) {
    this.side = side;
    this.time = time;
    this.name = name;
  }

  @Override
  public Side side() {
    return side;
  }

  @Override
  public void load(Workload workload) {
    closeVector();
    if (arena != null) {
      arena.close();
    }
    Arena fresh = Arena.ofShared();
    arena = fresh;
    long bytes = 8L * workload.count();
    loaded =
        new Loaded(
            workload,
            fresh.allocate(bytes, 64).fill((byte) -1),
            fresh.allocate(bytes, 64).fill((byte) -1),
            new long[workload.count()]);
    sources = null;
    if (factory == null || family != workload.family()) {
      if (factory != null) {
        factory.close();
      }
      family = workload.family();
      factory = name == null ? new VectorFactory(family) : VectorFactory.sharing(family);
    }
  }

  @Override
  public int count() {
    return loaded().workload().count();
  }

  private Loaded loaded() {
    return Objects.requireNonNull(loaded, "nothing was loaded");
  }

  private AddressVector vector() {
    return Objects.requireNonNull(vector, "no vector is open");
  }

  private AddressVector open(long hint) {
    closeVector();
    VectorOptions options = VectorOptions.table().withCount(hint);
    AddressVector opened =
        Objects.requireNonNull(factory, "nothing was loaded")
            .open(name == null ? options : options.withName(name));
    vector = opened;
    exchanged = false;
    isInOrder = false;
    return opened;
  }

  @Override
  public long insert(boolean hint) {
    Loaded work = loaded();
    Workload workload = work.workload();
    AddressVector into = open(hint ? workload.count() : 0);
    MemorySegment packed = workload.addresses().packed();
    long begin = time.now();
    int inserted = into.insert(packed, workload.count(), work.handles(), null, 0, null);
    long nanos = time.now() - begin;
    Subject.check(inserted, workload.count(), "addresses inserted");
    return nanos;
  }

  @Override
  public long insertSingly() {
    Loaded work = loaded();
    Workload workload = work.workload();
    AddressVector into = open(0);
    long begin = time.now();
    int inserted = VectorWork.insertSingly(into, workload.addresses(), work.handles());
    long nanos = time.now() - begin;
    Subject.check(inserted, workload.count(), "addresses inserted");
    return nanos;
  }

  @Override
  public long lookup() {
    // The second pass counts: the first finds the caches full of other things.
    lookup(handlesInOrder());
    return lookup(handlesInOrder());
  }

  private long lookup(long[] handles) {
    AddressVector from = vector();
    long begin = time.now();
    long sum = VectorWork.lookup(from, handles, buffer);
    long nanos = time.now() - begin;
    Subject.check(sum, loaded().workload().sum(), "sum of all addresses looked up");
    return nanos;
  }

  @Override
  public int searched() {
    return Math.min(count(), MOST_SEARCHED);
  }

  @Override
  public long find() {
    // Others are searched for first, which find the caches full of other things.
    int before = count() / SEARCHED_BEFORE;
    find(count() - before, before);
    return find(0, searched());
  }

  private AddressList sources() {
    AddressList known = sources;
    if (known == null) {
      Workload workload = loaded().workload();
      known = workload.addresses().inOrder(Objects.requireNonNull(arena), workload.order());
      sources = known;
    }
    return known;
  }

  private long find(int first, int count) {
    AddressVector from = vector();
    AddressList all = sources();
    long length = all.family().length();
    AddressList sources =
        new AddressList(all.family(), all.packed().asSlice(first * length, count * length), count);
    long expected = Arrays.stream(handlesInOrder(), first, first + count).sum();
    long begin = time.now();
    long sum = VectorWork.find(from, sources);
    long nanos = time.now() - begin;
    Subject.check(sum, expected, "sum of all handles found");
    return nanos;
  }

  @Override
  public long removeInOrder() {
    Loaded work = loaded();
    return remove(work, work.handles());
  }

  @Override
  public long removeRandomly() {
    Loaded work = loaded();
    MemorySegment.copy(
        handlesInOrder(), 0, work.ordered(), ValueLayout.JAVA_LONG, 0, work.workload().count());
    return remove(work, work.ordered());
  }

  private long remove(Loaded work, MemorySegment handles) {
    AddressVector from = vector();
    long begin = time.now();
    from.remove(handles, work.workload().count(), 0);
    long nanos = time.now() - begin;
    Subject.check(from.size(), 0, "entries left after removal");
    return nanos;
  }

  @Override
  public long churn(int cycles) {
    Loaded work = loaded();
    Workload workload = work.workload();
    AddressVector in = vector();
    AddressList others =
        exchanged
            ? workload.addresses()
            : Objects.requireNonNull(workload.others(), "nothing to exchange addresses for");
    isInOrder = false;
    long begin = time.now();
    int done = VectorWork.churn(in, others, work.handles(), workload.order(), cycles);
    long nanos = time.now() - begin;
    Subject.check(done, cycles, "addresses exchanged");
    Subject.check(in.size(), workload.count(), "entries after exchanging addresses");
    exchanged = !exchanged;
    return nanos;
  }

  @Override
  public long insertSymmetric(String node, int nodes, int service, int services) {
    int count = Math.multiplyExact(nodes, services);
    AddressVector into = open(count);
    try (Arena local = Arena.ofConfined()) {
      MemorySegment answers = local.allocate(8L * count, 64).fill((byte) -1);
      String first = Integer.toString(service);
      long begin = time.now();
      int inserted = into.insertSymmetric(node, nodes, first, services, answers, null, 0, null);
      long nanos = time.now() - begin;
      Subject.check(inserted, count, "addresses inserted");
      Subject.check(
          answers.getAtIndex(ValueLayout.JAVA_LONG, count - 1L), count - 1L, "last handle");
      return nanos;
    }
  }

  /** What the open vector takes. */
  MemoryUse memory() {
    return vector().statistics().memory();
  }

  /** How many entries it has. */
  long size() {
    return vector().size();
  }

  @Override
  public void closeVector() {
    if (vector != null) {
      vector.close();
      vector = null;
    }
  }

  @Override
  public void close() {
    closeVector();
    if (factory != null) {
      factory.close();
    }
    if (arena != null) {
      arena.close();
    }
    room.close();
  }

  /** The handles in random order, in an array as an application would have them. */
  private long[] handlesInOrder() {
    if (!isInOrder) {
      Loaded work = loaded();
      int[] order = work.workload().order();
      for (int i = 0; i < order.length; i++) {
        work.inOrder()[i] = work.handles().getAtIndex(ValueLayout.JAVA_LONG, order[i]);
      }
      isInOrder = true;
    }
    return loaded().inOrder();
  }
}
