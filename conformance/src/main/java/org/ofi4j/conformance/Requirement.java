// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.util.List;

/**
 * One rule of the man page, a row of {@code requirements.tsv}.
 *
 * @param id {@code AV-001} to {@code AV-226}
 * @param group the section, such as {@code INS}
 * @param title the rule in one line
 * @param source the editions that state it
 * @param kind whether there is something to test
 * @param topic what the rule waits for, or empty if it is finished
 * @param errno the errors of misuse
 * @param pointer where the answer is, if there is no test
 * @param partial whether a part of a rule that waits has to be proven already
 */
public record Requirement(
    String id,
    String group,
    String title,
    List<String> source,
    Kind kind,
    String topic,
    List<Integer> errno,
    String pointer,
    boolean partial) {

  /** How a rule is answered. */
  public enum Kind {
    /** By tests. */
    TEST,
    /** The provider may do as it likes; the pointer says what it does. */
    PERMISSION,
    /** Advice to applications; the pointer says where it is passed on. */
    DOCUMENTED
  }

  /**
   * Whether the rule has to hold now.
   *
   * @return false if something that is yet to come finishes it
   */
  public boolean isFinished() {
    return topic.isEmpty();
  }

  /**
   * Whether there has to be a test.
   *
   * @return true if the rule, or a part of it, has to be proven now
   */
  public boolean needsTest() {
    return kind == Kind.TEST && (isFinished() || partial);
  }
}
