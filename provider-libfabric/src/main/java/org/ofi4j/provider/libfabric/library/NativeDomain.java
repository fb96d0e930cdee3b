// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/** {@code struct fid_domain}. */
public final class NativeDomain extends NativeObject {
  /** {@code fi_domain}. */
  public NativeDomain(NativeFabric fabric, NativeInfo info) {
    super(fabric, "the domain", NativeFunction.FABRIC_DOMAIN, info.address());
  }
}
