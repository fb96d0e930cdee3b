// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.util.List;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.spi.FabricProvider;

/** Offers what a real provider offers, and opens stand-ins. */
public class ForwardingProvider implements FabricProvider {
  private final FabricProvider real;
  private final Wrapping wrapping;
  private final StandIns standIns = new StandIns();

  /** Makes a stand-in. */
  public ForwardingProvider(FabricProvider real, Wrapping wrapping) {
    this.real = real;
    this.wrapping = wrapping;
  }

  @Override
  public List<String> names() {
    return real.names();
  }

  @Override
  public InfoAnswer info(Hints hints) {
    return real.info(hints);
  }

  @Override
  public Fabric open(FabricInfo info) {
    Fabric fabric = real.open(info);
    return standIns.add(fabric, new ForwardingFabric(fabric, standIns, wrapping));
  }
}
