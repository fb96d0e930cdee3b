// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

/** What there is too little of for a frame of remote access, so that its connection is paused. */
public enum Shortage {
  NOTHING,
  /** Answers to read requests that may wait. */
  ANSWERS,
  /** Completions for writes that may wait. */
  NOTICES,
  /** Time: what was written before is being brought to a file. */
  COMMITS
}
