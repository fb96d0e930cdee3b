// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.spi.ProgressEngine;

/** An object of a domain whose readers wait for what a {@link ProgressEngine} brings. */
abstract class DrivenObject extends AwaitedObject {
  private final Domain domain;
  final ProgressEngine engine;

  /**
   * An object that is open from now on.
   *
   * @param domainLifetime keeps the domain open as long as this object is
   * @param engine moves the data of endpoints bound to the object; closed with the object
   */
  DrivenObject(
      Domain domain, Lifetime domainLifetime, @Nullable Object context, ProgressEngine engine) {
    super(domainLifetime, context);
    this.domain = domain;
    this.engine = engine;
  }

  /** Returns the domain of the object. */
  public final Domain domain() {
    return domain;
  }

  /** Returns the engine that moves the data, as passed to the constructor. */
  @Override
  public final ProgressEngine engine() {
    return engine;
  }
}
