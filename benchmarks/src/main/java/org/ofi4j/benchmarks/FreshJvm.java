package org.ofi4j.benchmarks;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.ofi4j.AddressVector;
import org.ofi4j.MemoryUse;

/**
 * What runs in a JVM of its own, started by {@link FreshJvmProcess}. It prints one line for each
 * figure: the id of a quantity and a number.
 *
 * <ul>
 *   <li>{@code first TIME PEERS}: the first call of each kind, before anything is compiled
 *   <li>{@code resident TIME PEERS PATTERN FAMILY}: private memory that the system counts
 * </ul>
 */
final class FreshJvm {
  private static final int PART = 65_536;
  private static final int WARM_UP = 200_000;

  private FreshJvm() {}

  /**
   * Measures and prints.
   *
   * @param arguments as above
   */
  public static void main(String[] arguments) {
    TimeSource time = TimeSource.valueOf(arguments[1]);
    int peers = Integer.parseInt(arguments[2]);
    if (arguments[0].equals("first")) {
      first(time, peers);
    } else {
      resident(peers, AddressPattern.valueOf(arguments[3]), Family.valueOf(arguments[4]));
    }
  }

  private static void first(TimeSource time, int peers) {
    AddressPattern pattern = AddressPattern.SCATTERED;
    try (Arena arena = Arena.ofShared();
        Ofi4jSubject subject = new Ofi4jSubject(time)) {
      subject.load(Workload.of(arena, pattern, Family.IPV4, peers));
      print(Quantity.insert(pattern, Family.IPV4, true), (double) subject.insert(true) / peers);
      print(Quantity.LOOKUP, (double) subject.firstLookup() / peers);
      print(Quantity.FIND, (double) subject.firstFind() / peers);
      print(Quantity.REMOVE_IN_ORDER, (double) subject.removeInOrder() / peers);
    }
  }

  /**
   * The compiler's own memory grows before the vector does: another one is filled first. It stays
   * open, because memory that it gave back would be there already.
   */
  private static void resident(int peers, AddressPattern pattern, Family family) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(family)) {
      AddressList part = AddressList.allocate(arena, family, PART);
      MemorySegment handles = arena.allocate(8L * PART, 64);
      try (AddressVector warm = factory.open(0);
          AddressVector vector = factory.open(0)) {
        insert(warm, pattern, part, handles, WARM_UP);
        long before = Machine.resident();
        insert(vector, pattern, part, handles, peers);
        long after = Machine.resident();
        MemoryUse memory = vector.memory();
        print(Quantity.resident(pattern, family), (double) (after - before) / peers);
        print(Quantity.live(pattern, family), memory.livePerPeer(peers));
        print(Quantity.held(pattern, family), memory.heldPerPeer(peers));
      }
    }
  }

  private static void insert(
      AddressVector vector,
      AddressPattern pattern,
      AddressList part,
      MemorySegment handles,
      int peers) {
    AddressList.Filler filler = AddressList.Filler.of(pattern, part.family(), peers);
    for (int done = 0; done < peers; done += PART) {
      int count = Math.min(PART, peers - done);
      AddressList some = new AddressList(part.family(), part.packed(), count);
      some.fill(filler, done);
      vector.insert(some.packed(), count, handles, null, 0, null);
    }
  }

  @SuppressWarnings("SystemOut") // read by the process that started this one
  private static void print(Quantity quantity, double figure) {
    PrintStream out = System.out;
    out.printf(Locale.ROOT, "%s %.4f%n", quantity.id(), figure);
  }
}
