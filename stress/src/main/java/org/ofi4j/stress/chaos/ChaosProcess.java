// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;

/**
 * A process that inserts, removes, looks up and searches at random until it is killed or its
 * standard input ends, so that it does not outlive the process that started it. It writes each
 * change to standard output before the change, and the result after it. The reader of the output
 * knows which entries must be there when the process is dead, and which may be.
 *
 * <pre>
 *   +WORD WORD ...      inserts these addresses ({@link ChaosAddresses})
 *   -HANDLE HANDLE ...  removes these entries
 *   =NUMBER NUMBER ...  done: handles of what was inserted, or errno of each removal
 *   ?NUMBER             so many entries were looked up and searched for since the last such line
 *   !TEXT               something is not as it must be
 * </pre>
 *
 * Each line has {@link #END} at its end, so that one that was cut off can be told.
 */
final class ChaosProcess {
  /** Ends each line. */
  static final String END = ";";

  /** Where handles are looked for that are somebody else's. */
  private static final int ANY_HANDLE = 1 << 16;

  private static final int MOST_OWN = 2000;
  private static final int LOOKS = 50;
  private static final int LONGEST_PAUSE_NANOS = 300_000;

  private final AddressVector vector;
  private final boolean readOnly;
  private final int number;
  private final SplittableRandom random;
  private final PrintStream out;
  private final List<Long> handles = new ArrayList<>();
  private final Map<Long, Long> words = new HashMap<>();
  private int scattered;
  private int nodes;
  private long looked;

  private ChaosProcess(
      AddressVector vector, boolean readOnly, int number, long seed, PrintStream out) {
    this.vector = vector;
    this.readOnly = readOnly;
    this.number = number;
    this.random = new SplittableRandom(seed);
    this.out = out;
  }

  /**
   * Works until it is killed or its input ends.
   *
   * @param arguments the name of the vector, {@code READ} or {@code WRITE}, the number of the
   *     process, a seed
   */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static void main(String[] arguments) {
    Thread.ofPlatform().daemon().name("end of input").start(ChaosProcess::exitWithInput);
    boolean readOnly = arguments[1].equals("READ");
    try (ChaosVector opened = new ChaosVector(arguments[0], readOnly)) {
      new ChaosProcess(
              opened.vector(),
              readOnly,
              Integer.parseInt(arguments[2]),
              Long.parseLong(arguments[3]),
              System.out)
          .run();
    } catch (RuntimeException | Error failed) {
      System.out.println("!" + failed + END);
      System.out.flush();
      throw failed;
    }
  }

  /** Leaves the vector in an orderly way when the input ends. */
  private static void exitWithInput() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said to it.
      }
    } catch (IOException ended) {
      // There is no more input.
    }
    System.exit(0);
  }

  private void run() {
    while (true) {
      LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NANOS));
      int choice = readOnly ? 0 : random.nextInt(100);
      if (choice < 20) {
        look();
      } else if ((choice < 45 && !handles.isEmpty()) || handles.size() > MOST_OWN) {
        remove();
      } else if (choice < 55 && nodes < ChaosAddresses.NODES) {
        insertRange();
      } else if (scattered < ChaosAddresses.NUMBERS) {
        insert();
      }
    }
  }

  private void say(String line) {
    out.println(line + END);
    out.flush();
  }

  private static String joined(LongStream numbers) {
    return numbers.mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  private void insert() {
    int many = random.nextInt(5) == 0 ? 200 : 4;
    int count = Math.min(1 + random.nextInt(many), ChaosAddresses.NUMBERS - scattered);
    long[] inserted = new long[count];
    List<FabricAddress> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inserted[i] = ChaosAddresses.scattered(number, scattered++);
      addresses.add(ChaosAddresses.of(inserted[i]));
    }
    say("+" + joined(LongStream.of(inserted)));
    Insertion insertion = vector.insert(addresses, InsertOptions.none());
    confirm(inserted, insertion);
  }

  private void insertRange() {
    int row = Math.min(ChaosAddresses.rowFrom(nodes), ChaosAddresses.NODES - nodes);
    int count = Math.min(1 + random.nextInt(40), row);
    int services = 1 + random.nextInt(ChaosAddresses.SERVICES);
    long[] inserted = new long[count * services];
    for (int i = 0; i < inserted.length; i++) {
      inserted[i] = ChaosAddresses.ranged(number, nodes + i / services, i % services);
    }
    String port = Integer.toString(ChaosAddresses.firstPort(nodes));
    nodes += count;
    say("+" + joined(LongStream.of(inserted)));
    String node = ChaosAddresses.host(inserted[0]);
    confirm(inserted, vector.insertSymmetric(node, count, port, services));
  }

  private void confirm(long[] inserted, Insertion insertion) {
    long[] got = new long[inserted.length];
    for (int i = 0; i < inserted.length; i++) {
      got[i] = insertion.handle(i);
      if (got[i] == Handles.NOT_AVAILABLE) {
        say(
            "!errno %s for %s, which is new"
                .formatted(insertion.error(i), ChaosAddresses.text(inserted[i])));
        return;
      }
      handles.add(got[i]);
      words.put(got[i], inserted[i]);
    }
    say("=" + joined(LongStream.of(got)));
  }

  private void remove() {
    int many = random.nextInt(5) == 0 ? 150 : 4;
    int count = Math.min(1 + random.nextInt(many), handles.size());
    long[] removed = new long[count];
    boolean inOrder = random.nextBoolean();
    int from = random.nextInt(handles.size() - count + 1);
    for (int i = 0; i < count; i++) {
      int at = inOrder ? from : random.nextInt(handles.size());
      removed[i] = handles.remove(at);
      words.remove(removed[i]);
    }
    say("-" + joined(LongStream.of(removed)));
    vector.remove(MemorySegment.ofArray(removed), count, 0);
    say("=" + joined(LongStream.of(removed).map(handle -> 0)));
  }

  private void look() {
    for (int i = 0; i < LOOKS; i++) {
      if (!handles.isEmpty() && random.nextBoolean()) {
        lookOwn(handles.get(random.nextInt(handles.size())));
      } else {
        lookAny(random.nextInt(ANY_HANDLE));
      }
    }
    looked += LOOKS;
    say("?" + LOOKS);
  }

  /** What was confirmed to this process is there and found. */
  private void lookOwn(long handle) {
    long word = Objects.requireNonNull(words.get(handle), "a handle of nothing");
    long there = ChaosAddresses.read(vector, handle);
    long found = vector.find(ChaosAddresses.of(word));
    if (there != word || found != handle) {
      say(
          "!%s at %s after %s looks: there is %s, and it is found at %s"
              .formatted(
                  ChaosAddresses.text(word), handle, looked, ChaosAddresses.text(there), found));
    }
  }

  /** Whatever is there is whole. */
  private void lookAny(long handle) {
    long there = ChaosAddresses.read(vector, handle);
    if (there != -1 && !ChaosAddresses.isWhole(there)) {
      say("!half an address at " + handle + ": " + ChaosAddresses.text(there));
    }
  }
}
