// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;

/** Which sources completions of receives report. */
public enum Sources {
  /** None, and no sender is looked for. */
  NONE,
  /** Those that are known. */
  KNOWN,
  /** Those that are known; others as failures with their address. */
  ALL;

  public static Sources of(FabricInfo info) {
    return info.has(Capability.SOURCE_ERR) ? ALL : info.has(Capability.SOURCE) ? KNOWN : NONE;
  }
}
