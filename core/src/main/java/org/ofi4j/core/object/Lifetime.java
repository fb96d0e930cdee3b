// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.MemoryRegion;
import org.ofi4j.TransferMemory;

/**
 * From open to close of one fabric object: who uses it, and what closing it releases.
 *
 * <p>An object that uses another one {@linkplain #hold holds} it: a domain its fabric, a vector its
 * domain, an endpoint its vector. What is held cannot be closed ({@code -FI_EBUSY}, AV-016,
 * AV-070). A close that is refused changes nothing; one that succeeds runs the release action once
 * and then lets go of everything held, so that what the action needs is still open while it runs.
 *
 * <p>Safe to call from any thread. No lock is held while the release action runs, and never more
 * than one at a time, so that lifetimes cannot block each other.
 */
public final class Lifetime {
  /**
   * Bytes of heap that are given back before a release action runs. A channel of the JDK whose
   * {@code close} finds no memory is marked as closed, but its socket stays open for good.
   */
  private static final int RESERVE = 1 << 18;

  private static volatile byte @Nullable [] reserve = new byte[RESERVE];

  private final FabricObject subject;
  private final Runnable release;
  private final List<Lifetime> holders = new ArrayList<>();
  private final List<Lifetime> held = new ArrayList<>();

  // Volatile so that checks need no lock; written under the monitor of this object.
  private volatile boolean open = true;

  // Whether a release ended for lack of memory; guarded by the monitor of this object.
  private boolean unfinished;

  /**
   * The lifetime of an object that is open from now on.
   *
   * @param release what closing does, once
   */
  public Lifetime(FabricObject subject, Runnable release) {
    this.subject = subject;
    this.release = release;
  }

  public FabricObject subject() {
    return subject;
  }

  /** Whether the object can still be used; false once a close has begun that will succeed. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Refuses the call that is being made on a closed object.
   *
   * @throws FabricException with {@link Errno#EINVAL} naming the object if it is closed
   */
  public void checkOpen() {
    if (!open) {
      throw closed();
    }
  }

  /** What a call on the closed object is answered with. */
  public FabricException closed() {
    return new FabricException(Errno.EINVAL, subject + " is closed: open a new one");
  }

  /**
   * Uses another object until this one is closed. May be done more than once.
   *
   * @throws FabricException with {@link Errno#EINVAL} if either is closed
   */
  public void hold(Lifetime other) {
    synchronized (this) {
      checkOpen();
      held.add(other);
    }
    try {
      other.addHolder(this);
    } catch (FabricException closed) {
      synchronized (this) {
        held.remove(other);
      }
      throw closed;
    }
    // A close between the two steps has let go of the other before it knew that it was held.
    if (!open) {
      other.dropHolder(this);
      throw closed();
    }
  }

  /** The objects that hold this one, each once. */
  public synchronized List<FabricObject> holders() {
    return holders.stream().map(Lifetime::subject).distinct().toList();
  }

  /**
   * Closes the object. Closing it again does nothing, unless the release action ended for lack of
   * memory: then the action runs again, and what it needs is still held.
   *
   * @throws FabricBusyException if other objects use it; nothing has changed then
   */
  public void close() {
    synchronized (this) {
      if (open && !holders.isEmpty()) {
        throw new FabricBusyException(subject, holders());
      }
      if (!open && !unfinished) {
        return;
      }
      open = false;
      unfinished = false;
    }
    boolean ended = true;
    if (!isMemory()) {
      reserve = null;
    }
    try {
      release.run();
    } catch (VirtualMachineError exhausted) {
      ended = false;
      throw exhausted;
    } finally {
      if (ended) {
        letGo();
      } else {
        synchronized (this) {
          unfinished = true;
        }
      }
      fillReserve();
    }
  }

  /** Memory has no channels, and may be closed as often as messages are sent. */
  private boolean isMemory() {
    return subject instanceof MemoryRegion || subject instanceof TransferMemory;
  }

  private static void fillReserve() {
    try {
      if (reserve == null) {
        reserve = new byte[RESERVE];
      }
    } catch (OutOfMemoryError full) {
      // The next close has what the heap has, or throws and can be called again.
    }
  }

  private void letGo() {
    for (Lifetime other = removeHeld(); other != null; other = removeHeld()) {
      other.dropHolder(this);
    }
  }

  private synchronized @Nullable Lifetime removeHeld() {
    return held.isEmpty() ? null : held.removeLast();
  }

  private synchronized void addHolder(Lifetime holder) {
    checkOpen();
    holders.add(holder);
  }

  private synchronized void dropHolder(Lifetime holder) {
    holders.remove(holder);
  }

  @Override
  public String toString() {
    return Objects.toString(subject) + (open ? ", open" : ", closed");
  }
}
