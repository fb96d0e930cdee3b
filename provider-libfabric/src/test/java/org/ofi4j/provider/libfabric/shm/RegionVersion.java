// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

/** The version that files for regions are made for. */
public final class RegionVersion {
  private RegionVersion() {}

  /** Has the next endpoint opened as over a release whose version is not known. */
  public static void expect(int version) {
    EndpointFile.expectVersion(version);
  }
}
