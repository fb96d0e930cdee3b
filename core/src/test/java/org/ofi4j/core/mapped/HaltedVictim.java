// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.share.NamedVector;

/**
 * A process that attaches to vectors and dies of changing them, again and again: a death is an
 * error behind which nothing is stored any more, and the end of all locks that it had of this
 * vector. So it leaves what a process leaves that is killed, its participant's place too, and takes
 * a thousandth of the time. {@link HaltedWriter} dies as processes do. Run by {@link
 * SteppingLoader}, spoken to by {@link HaltedOther}.
 */
public final class HaltedVictim implements Runnable {
  /** What it does with a vector. */
  enum Part {
    /** Changes it, and dies behind a step. */
    CHANGE,
    /** Changes it, and dies without the lock, behind everything. */
    LEAVE,
    /** Comes to write, which is to repair and give back what others left, and dies of that. */
    REPAIR,
    /** Changes it, or comes to write, and says where the stores are. */
    NOTE_CHANGE,
    NOTE_REPAIR,
    /** Looks at it, and says what it sees. */
    COME_TO_READ,
    COME_TO_WRITE
  }

  /** For the loader. */
  public HaltedVictim() {}

  /** Starts it in a loader of its own. */
  public static void main(String[] args) throws ReflectiveOperationException {
    SteppingLoader.run(HaltedVictim.class);
  }

  @Override
  public void run() {
    BufferedReader asked =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try {
      for (String line = asked.readLine(); line != null; line = asked.readLine()) {
        System.out.println(answer(line.split(" ", 4)));
        System.out.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String answer(String[] asked) {
    try {
      Change change = Change.valueOf(asked[1]);
      Path directory = Path.of(asked[3]);
      Part part = Part.valueOf(asked[0]);
      return switch (part) {
        case CHANGE, REPAIR ->
            dies(directory, change, part == Part.CHANGE, Long.parseLong(asked[2]), null);
        case NOTE_CHANGE, NOTE_REPAIR -> {
          StepPlaces places = new StepPlaces();
          String lived = dies(directory, change, part == Part.NOTE_CHANGE, 0, places);
          places.write(directory.resolve("places"));
          yield lived;
        }
        case LEAVE -> leaves(directory, change);
        case COME_TO_READ, COME_TO_WRITE ->
            sees(directory, change, part == Part.COME_TO_READ, asked[2]);
      };
    } catch (IOException | RuntimeException | Error failed) {
      StringWriter why = new StringWriter();
      failed.printStackTrace(new PrintWriter(why));
      return "FAILED " + why.toString().replace('\n', '|');
    }
  }

  /** Attaches and writes until it dies, if it does; how many steps it took. */
  private static String dies(
      Path directory, Change change, boolean applies, long last, @Nullable StepPlaces places) {
    NamedVector vector = NamedStores.vector(directory, change.options(), false);
    NamedStore store = null;
    if (places == null) {
      Steps.begin(last);
    } else {
      Steps.begin(places);
    }
    boolean died;
    try {
      store = NamedStore.of(vector, change.options());
      store.begin();
      if (applies) {
        change.apply(store);
      }
      store.end();
    } catch (RuntimeException | Error failed) {
      if (!Steps.isDead()) {
        throw failed;
      }
    } finally {
      died = Steps.isDead();
      if (died) {
        HaltedTable.release(vector);
        if (store != null) {
          store.close(false);
        }
      }
    }
    long taken = Steps.end();
    if (!died) {
      store.close();
    }
    return (died ? "DIED " : "LIVED ") + taken;
  }

  private static String leaves(Path directory, Change change) {
    NamedVector vector = NamedStores.vector(directory, change.options(), false);
    NamedStore store = NamedStore.of(vector, change.options());
    store.begin();
    change.apply(store);
    store.end();
    store.close(false);
    return "DIED 0";
  }

  private static String sees(Path directory, Change change, boolean readOnly, String where) {
    NamedVector vector = NamedStores.vector(directory, change.options(), readOnly);
    try (NamedStore store = NamedStore.of(vector, change.options())) {
      if (!readOnly) {
        store.begin();
        store.end();
      }
      boolean several = HaltedTable.several(change);
      View view =
          where.equals("ALL")
              ? View.of(store, several)
              : View.of(
                  store,
                  several,
                  Stream.of(where.split(",", -1)).mapToInt(Integer::parseInt).toArray());
      return "SEES " + view.digest();
    }
  }
}
