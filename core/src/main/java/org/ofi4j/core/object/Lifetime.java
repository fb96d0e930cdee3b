// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.ofi4j.Errno;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;

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
  private final FabricObject subject;
  private final Runnable release;
  private final List<Lifetime> holders = new ArrayList<>();
  private final List<Lifetime> held = new ArrayList<>();

  // Volatile so that checks need no lock; written under the monitor of this object.
  private volatile boolean open = true;

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
   * Closes the object. Closing it again does nothing.
   *
   * @throws FabricBusyException if other objects use it; nothing has changed then
   */
  public void close() {
    List<Lifetime> toLetGo;
    synchronized (this) {
      if (!open) {
        return;
      }
      if (!holders.isEmpty()) {
        throw new FabricBusyException(subject, holders());
      }
      open = false;
      toLetGo = List.copyOf(held);
      held.clear();
    }
    try {
      release.run();
    } finally {
      toLetGo.forEach(other -> other.dropHolder(this));
    }
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
