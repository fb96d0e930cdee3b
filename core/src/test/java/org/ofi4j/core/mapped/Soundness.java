// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.check.Findings;
import org.ofi4j.core.check.StoreCheck;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.testing.TestDomain;

/** That all parts of a store say the same. */
public final class Soundness {
  private Soundness() {}

  /** Of a store in memory of this process. */
  public static void check(EntryStore store) {
    Findings findings = new Findings();
    // A private store does not store its counts otherwise.
    store.parts().cells().publish();
    new StoreCheck(store, owner -> owner == 0, true, findings).check();
    assertThat(findings.list()).isEmpty();
  }

  /** Of the vector of {@link NamedStores} in a directory. */
  public static SharedVectorReport check(Path directory) {
    SharedVectorReport report = look(directory);
    assertThat(report.violations()).isEmpty();
    return report;
  }

  /** As {@link #check(Path)}, whatever is wrong. */
  public static SharedVectorReport look(Path directory) {
    return look(directory, TestDomain.PATIENCE);
  }

  /** As {@link #look(Path)}; who writes is waited for so long. */
  static SharedVectorReport look(Path directory, Duration patience) {
    ShareDirectory own = ShareDirectory.at(directory.resolve("own"));
    return VectorVerifier.verify(own, "domain", "vector", patience);
  }
}
