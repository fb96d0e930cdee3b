// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Completions as text. */
final class CompletionText {
  private CompletionText() {}

  /** What successes and failures both have: flags by name, the source as a handle. */
  static String common(Completion of, long data, long tag) {
    long source = of.source();
    return "context="
        + of.context()
        + (", flags=" + Flag.names(CompletionFlag.class, of.flags()) + ", length=" + of.length())
        + (", data=" + data + ", tag=0x" + Long.toHexString(tag))
        + (", source="
            + (source == Handles.NOT_AVAILABLE ? "unknown" : Long.toUnsignedString(source)));
  }
}
