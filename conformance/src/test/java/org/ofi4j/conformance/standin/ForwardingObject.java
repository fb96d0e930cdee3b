// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricObject;

/** Hands everything on to a real object. */
public abstract class ForwardingObject<T extends FabricObject> implements FabricObject {
  private final T real;
  private final StandIns standIns;

  /** Makes a stand-in. */
  protected ForwardingObject(T real, StandIns standIns) {
    this.real = real;
    this.standIns = standIns;
  }

  /** The real object. */
  public final T real() {
    return real;
  }

  /** Who stands in for whom. */
  public final StandIns standIns() {
    return standIns;
  }

  @Override
  public Object context() {
    return real.context();
  }

  @Override
  public boolean isOpen() {
    return real.isOpen();
  }

  @Override
  public void close() {
    try {
      real.close();
    } catch (FabricBusyException busy) {
      throw standIns.translate(this, busy);
    }
  }

  @Override
  public String toString() {
    return real.toString();
  }
}
