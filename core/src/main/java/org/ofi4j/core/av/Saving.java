// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.mapped.Snapshot;
import org.ofi4j.core.share.VectorTraits;
import org.ofi4j.core.store.StoreOptions;

/**
 * How a vector gets into a file.
 *
 * @param traits what the file is to say of it
 * @param keyed whether it has authorization keys, which never enter a file
 */
record Saving(EntryWriter writer, StoreOptions options, VectorTraits traits, boolean keyed) {
  /**
   * Saves it. The entries are those of one moment: changes wait until they are copied, but not
   * until the file is written.
   */
  void to(@Nullable Path path) {
    if (path == null) {
      throw invalid("path is null: name the file to save to");
    }
    if (keyed) {
      throw unsupported(
          "a vector with authorization keys cannot be saved to "
              + path
              + ": keys never enter a file");
    }
    try (Snapshot snapshot = writer.snapshot(options)) {
      snapshot.write(path, traits);
    }
  }
}
