// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.nio.file.Path;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Unit;

/** A way to open a vector that has its entries already. */
public enum Opening {
  /** Of that name, which another process has open. */
  NAMED("open-named", "open by name"),
  /** The same, only to read. */
  NAMED_READ("open-named-read", "open by name, FI_READ"),
  /** The file itself is the vector's memory. */
  SAVED_READ("open-saved-read", "open a saved file, FI_READ"),
  /** The file is copied. */
  SAVED_COPY("open-saved-copy", "open a copy of a saved file");

  private final String id;
  private final String title;

  Opening(String id, String title) {
    this.id = id;
    this.title = title;
  }

  /** What it takes, fabric and domain being open. */
  public Quantity quantity() {
    return new Quantity(id, title, Unit.MILLIS);
  }

  /** What it takes a process that has done nothing yet, with its fabric and its domain. */
  Quantity withDomain() {
    return new Quantity(id + "-domain", title + ", with domain", Unit.MILLIS);
  }

  /** What it is opened with: the name of the vector, or the file of a copy. */
  VectorOptions options(String name, Path file) {
    return switch (this) {
      case NAMED -> VectorOptions.table().withName(name);
      case NAMED_READ -> VectorOptions.table().withName(name).withFlags(VectorFlag.READ);
      case SAVED_READ -> VectorOptions.table().withSaved(file).withFlags(VectorFlag.READ);
      case SAVED_COPY -> VectorOptions.table().withSaved(file);
    };
  }
}
