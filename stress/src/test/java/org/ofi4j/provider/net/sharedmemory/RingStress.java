// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A writer and a reader of a ring, as two processes have one object each over the same memory. */
public class RingStress {
  private static final int CAPACITY = 64;

  private RingStress() {}

  /** A ring in memory of its own. */
  public static class Rings {
    final MemorySegment memory = Arena.ofAuto().allocate(Ring.DATA + CAPACITY, 128);
    final Ring writer = new Ring(memory);
    final Ring reader = new Ring(memory);

    /** Writes bytes of one value. */
    final int write(int length, int value) {
      ByteBuffer bytes = ByteBuffer.allocate(length);
      for (int i = 0; i < length; i++) {
        bytes.put(i, (byte) value);
      }
      try {
        writer.put(bytes);
        return writer.publish();
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }

    /** Is about to sleep until bytes come. */
    final boolean wantBytes() {
      try {
        return reader.wantBytes();
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }

    /** Is about to sleep until there is space. */
    final boolean wantSpace() {
      try {
        return writer.wantSpace();
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }

    /** Looks for a writer that waits for space. */
    final boolean takeWantsSpace() {
      try {
        return reader.takeWantsSpace();
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }

    /** Reads what there is; its length, or -1 if a byte has another value. */
    final int read(int value) {
      ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
      try {
        reader.read(bytes);
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
      for (int i = 0; i < bytes.position(); i++) {
        if (bytes.get(i) != value) {
          return -1;
        }
      }
      return bytes.position();
    }
  }

  /** Bytes are there when they are counted. */
  @JCStressTest
  @Outcome(id = "(0|40), (0|40)", expect = ACCEPTABLE, desc = "None or all, each as written.")
  @Outcome(expect = FORBIDDEN, desc = "Bytes before they were written.")
  @State
  public static class Bytes extends Rings {
    /** Writes. */
    @Actor
    public void writer() {
      write(40, 7);
    }

    /** Reads twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = read(7);
      r.r2 = read(7);
    }
  }

  /** Bytes are overwritten only when they have been read. */
  @JCStressTest
  @Outcome(id = "64, (0|64)", expect = ACCEPTABLE, desc = "All old bytes; the new ones or none.")
  @Outcome(expect = FORBIDDEN, desc = "A byte that was overwritten before it was read.")
  @State
  public static class Space extends Rings {
    /** A full ring. */
    public Space() {
      write(CAPACITY, 1);
    }

    /** Writes where there is space. */
    @Actor
    public void writer(II_Result r) {
      r.r2 = write(CAPACITY, 2);
    }

    /** Reads the old bytes. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = read(1);
    }
  }

  /** A reader that sleeps is woken: it sees the bytes, or the writer sees that it sleeps. */
  @JCStressTest
  @Outcome(id = "true, (true|false)", expect = ACCEPTABLE, desc = "The reader does not sleep.")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "It sleeps, and the bell rings.")
  @Outcome(id = "false, false", expect = FORBIDDEN, desc = "It sleeps for ever.")
  @State
  public static class Bell extends Rings {
    /** Writes, and looks for a sleeper. */
    @Actor
    public void writer(ZZ_Result r) {
      write(1, 1);
      r.r2 = writer.takeWantsBytes();
    }

    /** Is about to sleep. */
    @Actor
    public void reader(ZZ_Result r) {
      r.r1 = wantBytes();
    }
  }

  /** The same for a writer that waits for space. */
  @JCStressTest
  @Outcome(id = "true, (true|false)", expect = ACCEPTABLE, desc = "The writer does not sleep.")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "It sleeps, and the bell rings.")
  @Outcome(id = "false, false", expect = FORBIDDEN, desc = "It sleeps for ever.")
  @State
  public static class SpaceBell extends Rings {
    /** A full ring. */
    public SpaceBell() {
      write(CAPACITY, 1);
    }

    /** Is about to sleep. */
    @Actor
    public void writer(ZZ_Result r) {
      r.r1 = wantSpace();
    }

    /** Reads, and looks for a sleeper. */
    @Actor
    public void reader(ZZ_Result r) {
      read(1);
      r.r2 = takeWantsSpace();
    }
  }
}
