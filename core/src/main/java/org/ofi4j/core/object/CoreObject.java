// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;

/**
 * What all fabric objects have in common: a context, and a lifetime that other objects hold.
 *
 * <p>As safe to call from any thread as the {@link Lifetime} is.
 */
public abstract class CoreObject implements FabricObject {
  /** From opening to closing of this object. */
  @SuppressWarnings("this-escape") // the lifetime keeps it for later, and calls nothing now
  protected final Lifetime lifetime = new Lifetime(this, this::release);

  private final @Nullable Object context;

  /** An object that is open from now on, without a context. */
  protected CoreObject() {
    this(null);
  }

  /**
   * An object that is open from now on.
   *
   * @param context what the application gave for {@link #context()}
   */
  protected CoreObject(@Nullable Object context) {
    this.context = context;
  }

  /**
   * Opens an object that was made, and closes it if that is refused.
   *
   * @param opening opens the object; what closing it throws is suppressed by what this throws
   * @return the object
   */
  protected static <O extends CoreObject> O opened(O made, Runnable opening) {
    try {
      opening.run();
      return made;
    } catch (RuntimeException | Error refused) {
      try {
        made.close();
      } catch (RuntimeException | Error further) {
        refused.addSuppressed(further);
      }
      throw refused;
    }
  }

  /** What closing does, once, before everything held is let go of. */
  protected void release() {}

  /** From opening to closing, which objects that use this one hold. */
  public final Lifetime lifetime() {
    return lifetime;
  }

  @Override
  public final @Nullable Object context() {
    return context;
  }

  @Override
  public final boolean isOpen() {
    return lifetime.isOpen();
  }

  @Override
  public final void close() {
    lifetime.close();
  }
}
